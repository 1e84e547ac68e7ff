// Calls three operations with the generated client: one with parameters, one with a login, one with a body.
package main

import (
	"context"
	"fmt"
	"os"

	"relay"
)

func main() {
	configuration := relay.NewConfiguration()
	configuration.Servers = relay.ServerConfigurations{{URL: os.Getenv("BASE")}}
	client := relay.NewAPIClient(configuration)
	ranks, _, err := client.ChartsApi.GetRanks(context.Background()).TopId(62).Limit(3).Execute()
	demand(err == nil && len(ranks.Data.SongInfoList) == 3 && ranks.Data.SongInfoList[0].SongId > 0, "a chart", err)
	wanted := [][]string{{"00DemoSong0001"}, {"Nobody"}}
	batch, _, err := client.MusicApi.BatchGetSongInfo(context.Background()).BatchGetSongInfoBody(relay.BatchGetSongInfoBody{Songs: &wanted}).Execute()
	demand(err == nil && batch.Response.Data[0].Songinfo.Data.TrackInfo.Mid == "00DemoSong0001" && batch.Response.Data[1].Error != nil, "a batch", err)
	login := context.WithValue(context.Background(), relay.ContextAPIKeys, map[string]relay.APIKey{"cookieHeader": {Key: os.Getenv("COOKIE")}})
	daily, _, err := client.RecommendApi.GetDailyRecommend(login).Execute()
	demand(err == nil && len(daily.Body.Response.Songs) > 0, "a login", err)
	fmt.Println("called")
}

func demand(right bool, what string, err error) {
	if !right {
		panic(fmt.Sprint("wrong: ", what, " ", err))
	}
}
