import java.net.URI;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ChartsApi;
import org.openapitools.client.api.MusicApi;
import org.openapitools.client.api.RecommendApi;
import org.openapitools.client.model.BatchGetSongInfoBody;
import org.openapitools.client.model.ChartSong;

/** Calls three operations with the generated client: one with parameters, one with a login, one with a body. */
public class Call {
  public static void main(String[] arguments) throws Exception {
    URI base = URI.create(System.getenv("BASE"));
    ApiClient client = new ApiClient().setScheme(base.getScheme()).setHost(base.getHost()).setPort(base.getPort());
    List<ChartSong> songs = new ChartsApi(client).getRanks(62, 3, null, null, null, null).getData().getSongInfoList();
    demand(songs.size() == 3 && songs.get(0).getSongId() > 0, "a chart");
    List<List<String>> wanted = List.of(List.of("00DemoSong0001"), List.of("Nobody"));
    var found = new MusicApi(client).batchGetSongInfo(new BatchGetSongInfoBody().songs(wanted)).getResponse().getData();
    demand(found.get(0).getSonginfo().getData().getTrackInfo().getMid().equals("00DemoSong0001") && found.get(1).getError() != null, "a batch");
    client.setRequestInterceptor(request -> request.header("X-Custom-Cookie", System.getenv("COOKIE")));
    demand(!new RecommendApi(client).getDailyRecommend().getBody().getResponse().getSongs().isEmpty(), "a login");
    System.out.println("called");
  }

  private static void demand(boolean right, String what) {
    if (!right) throw new IllegalStateException("wrong: " + what);
  }
}
