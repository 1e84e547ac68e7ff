"""Plays a chart or a playlist on a speaker of Home Assistant: home_assistant.py media_player.kitchen 62

Environment: RELAY (address of the relay, as the speaker reaches it), HA_URL, HA_TOKEN (a long-lived access token).
An id of up to four digits is a chart, a longer one a playlist. As a shell_command, any automation can start it.
"""
import json
import os
import sys
from urllib.parse import urlencode
from urllib.request import Request, urlopen

RELAY = os.environ.get("RELAY", "http://localhost:3200").rstrip("/")


def ask(path, **query):
    with urlopen(f"{RELAY}{path}?{urlencode(query)}", timeout=40) as answer:
        return json.load(answer)


def songs(identifier):
    """The songs as (mid, title), of which some may be unknown to the provider by now."""
    if len(identifier) <= 4:
        rows = ask("/getRanks", topId=identifier, limit=30, resolveMid="true")["data"]["songInfoList"]
        return [(row["song_mid"], f'{row["singerName"]} – {row["songName"]}') for row in rows if row.get("song_mid")]
    rows = ask("/getSongListDetail", disstid=identifier, limit=30)["data"]["songlist"]
    return [(row["songmid"], f'{row["singer"]} – {row["songname"]}') for row in rows if row["songmid"]]


def play(speaker, mid, title, queue):
    body = {
        "entity_id": speaker,
        "media_content_id": f"{RELAY}/stream/{mid}",
        "media_content_type": "music",
        "enqueue": queue,
        "extra": {"title": title, "thumb": f"{RELAY}/cover/{mid}"},
    }
    urlopen(Request(
        f'{os.environ["HA_URL"].rstrip("/")}/api/services/media_player/play_media',
        data=json.dumps(body).encode(),
        headers={"authorization": f'Bearer {os.environ["HA_TOKEN"]}', "content-type": "application/json"},
    ), timeout=40).close()


speaker, identifier = sys.argv[1:3]
for at, (mid, title) in enumerate(songs(identifier)):
    play(speaker, mid, title, "replace" if at == 0 else "add")
    print(title)
