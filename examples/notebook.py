"""How do the songs of the charts differ? A notebook in the percent format: open it in Jupyter or VS Code, or run it."""
# %% The relay: RELAY is its address
import json
import os
import statistics
from collections import Counter
from urllib.parse import urlencode
from urllib.request import Request, urlopen

RELAY = os.environ.get("RELAY", "http://localhost:3200").rstrip("/")
CHARTS = [int(word) for word in os.environ.get("CHARTS", "62,26,27").split(",")]


def ask(path, **query):
    with urlopen(f"{RELAY}{path}?{urlencode(query)}", timeout=40) as answer:
        return json.load(answer)


def ask_many(mids):
    """Details of up to a hundred songs in one request."""
    body = json.dumps({"songs": [[mid] for mid in mids]}).encode()
    with urlopen(Request(f"{RELAY}/batchGetSongInfo", data=body, headers={"content-type": "application/json"}), timeout=40) as answer:
        return [row["songinfo"]["data"]["track_info"] for row in json.load(answer)["response"]["data"] if "songinfo" in row]


# %% The songs of each chart
charts = {}
for chart in CHARTS:
    data = ask("/getRanks", topId=chart, limit=50, resolveMid="true")["data"]
    mids = [row["song_mid"] for row in data["songInfoList"] if row.get("song_mid")]
    charts[data["topList"]["name"]] = ask_many(mids)

# %% Language, age and length
print("chart;songs;seconds;year;most frequent singer")
for name, tracks in charts.items():
    seconds = statistics.median(track["interval"] for track in tracks)
    years = [int(track["time_public"][:4]) for track in tracks if track.get("time_public")]
    [(singer, times)] = Counter(one["name"] for track in tracks for one in track["singer"]).most_common(1)
    print(f'{name};{len(tracks)};{seconds:.0f};{statistics.median(years):.0f};{singer} ({times})')

# %% Songs that are in more than one chart
places = Counter(track["mid"] for tracks in charts.values() for track in tracks)
print(f"{sum(times > 1 for times in places.values())} of {len(places)} songs are in more than one chart")
