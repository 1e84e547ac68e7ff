"""Calls three operations with the generated client: one with parameters, one with a login, one with a body; and one that fails."""
import json
import os
import openapi_client

configuration = openapi_client.Configuration(host=os.environ['BASE'])
configuration.api_key['X-Custom-Cookie'] = os.environ['COOKIE']
with openapi_client.ApiClient(configuration) as client:
    songs = openapi_client.ChartsApi(client).get_ranks(top_id=62, limit=3).data.song_info_list
    assert len(songs) == 3 and songs[0].song_id > 0, 'a chart'
    body = openapi_client.BatchGetSongInfoBody(songs=[['00DemoSong0001'], ['Nobody']])
    found, failed = openapi_client.MusicApi(client).batch_get_song_info(batch_get_song_info_body=body).response.data
    assert found.songinfo.data.track_info.mid == '00DemoSong0001' and failed.error, 'a batch'
    assert openapi_client.RecommendApi(client).get_daily_recommend().body.response.songs, 'a login'
    try:
        openapi_client.MusicApi(client).get_album_info(albummid='Nobody')
        raise AssertionError('no failure')
    except openapi_client.ApiException as failure:
        assert (failure.status, json.loads(failure.body)['code']) == (404, 'NOT_FOUND'), 'a failure'
print('called')
