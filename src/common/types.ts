/**
 * The public types. Written by `npm run openapi` from the schemas and the registry; edit those.
 * Long because it describes the whole interface.
 */
import type { AudioStream } from './audioStream.ts'
import type { CallOptions } from './callOptions.ts'

/** What both `createRelay` and `createClient` return. */
export interface Relay extends RelayFunctions {
  /** Ends upstream work and closes its connections; of a client, ends its calls. */
  close (): Promise<void>
}

/** A function for every endpoint. Each takes its input and, beside it, the options of the call. */
export interface RelayFunctions {
  /**
   * One chart with its songs, or all charts.
   *
   * Without topId: all charts in topLists, and the songs of chart 4. period selects a past issue; /getRankPeriods lists them. Chart ids are the upstream's own; the answer to a call without topId lists them. Every song has songId and song_id; song_mid and mid are present when known. resolveMid=true looks up missing ones, in topLists too; a song has none if its detail request fails or if it has no number.
   *
   * @param input.topId Chart id; any id the upstream knows. If omitted: all charts, with the songs of chart 4.
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page, counted from 0; the first row is page * limit. Default: 0.
   * @param input.period A past issue of the chart of topId, from /getRankPeriods. If omitted: the current one. An issue unknown to the upstream is 404.
   * @param input.resolveMid true or 1: songs without a MID get theirs from detail requests, one for each distinct song of songInfoList and topLists (at most five at once for the whole relay). Without topId that can be some dozens. false or 0: no detail requests. Default: false.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns A chart and one page of its songs.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getRanks({ topId: 62, limit: 3, resolveMid: true })
   */
  getRanks (input?: GetRanksInput, options?: CallOptions): Promise<Chart>

  /**
   * Past issues of a chart.
   *
   * Use one as the period of /getRanks. Weekly charts have issues of several years, daily charts none. A chart that is not in the list of all charts is 404, even if /getRanks knows it.
   *
   * @param input.topId Chart id, from /getRanks without topId.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The issues of a chart.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getRankPeriods({ topId: 5 })
   */
  getRankPeriods (input: GetRankPeriodsInput, options?: CallOptions): Promise<RankPeriods>

  /**
   * One song in detail, by number or MID.
   *
   * Send songid or songmid; if both are given, the MID decides and the number is ignored. The MID is at response.songinfo.data.track_info.mid. info has further details (company, genre, language …). Any of them may be absent; all are absent if only an older upstream call answered.
   *
   * @param input.songid Number of the song; this or songmid. Ignored beside a songmid.
   * @param input.songmid MID of the song; this or songid: 1 to 32 letters, digits or underscores.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns A song in detail; its MID is at songinfo.data.track_info.mid.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSongInfo({ songmid: '00DemoSong0001' })
   */
  getSongInfo (input?: GetSongInfoInput, options?: CallOptions): Promise<SongInfo>

  /**
   * Play address of up to fifty songs.
   *
   * No address is not an error: url is "", and reason and hint say why. Most songs need the cookie of an account, some of a paid account. url, size and quality are those of the first song; playUrl has every song by its MID. An unknown song does not fail the others.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.songmid MID of the song, or up to 50 of them, separated by commas.
   * @param input.songid Number of the (first) song, if known: some songs are found only by number. The MID decides: a number that does not belong to it is ignored.
   * @param input.mediaId MID of the media file of the (first) song, when known; otherwise it is looked up: 1 to 32 letters, digits or underscores.
   * @param input.quality 128 (MP3, the default), 320 (MP3), m4a (AAC, about 96 kbit/s), aac24, aac48, aac192, ogg96, ogg192, ogg320, ogg640 (kbit/s), flac, ape, hires, master (lossless), trial (a short part of a song that costs), or best: the best the account may have. Default: '128'.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Play address of the first song, and of all in playUrl. No address is not an error: see reason and hint.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getMusicPlay({ songmid: '00DemoSong0001' })
   */
  getMusicPlay (input: GetMusicPlayInput, options?: CallOptions): Promise<MusicPlay>

  /**
   * Timestamped lyric of a song, with its translation.
   *
   * Both texts are decoded. For a song without lyrics both texts are empty; also for an unknown song, because the upstream sends the same answer. format=parsed (or isFormat=1) adds the lines in order of time, in milliseconds; ttml and srt add the lyric as the text of such a file, with translation and romanisation. roma=true adds the romanisation if the upstream sends one unencrypted (not seen yet); the relay never decrypts.
   *
   * @param input.songmid MID of the song: 1 to 32 letters, digits or underscores.
   * @param input.isFormat 1 parses the lyric into lines beside the text; 0 does not. Default: 0.
   * @param input.format Addition to lyric and trans: lrc nothing, parsed the lines (the same as isFormat=1), ttml Timed Text, srt SubRip. Default: 'lrc'.
   * @param input.roma true or 1: adds the romanisation, if the upstream sends one unencrypted. Default: false.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Timestamped lyric of a song.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getLyric({ songmid: '00DemoSong0005', isFormat: 1 })
   */
  getLyric (input: GetLyricInput, options?: CallOptions): Promise<Lyric>

  /**
   * One album with its songs.
   *
   * All songs of the album at once. songs are the records that /getSongInfo has as track_info.
   *
   * @param input.albummid MID of the album: 1 to 32 letters, digits or underscores.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns An album and its songs.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getAlbumInfo({ albummid: '00DemoAlbu0001' })
   */
  getAlbumInfo (input: GetAlbumInfoInput, options?: CallOptions): Promise<AlbumInfo>

  /**
   * Other versions of a song.
   *
   * Live recordings, covers, remixes: at most ten, without pages. For an unknown song the list is empty, because the upstream sends the same answer.
   *
   * @param input.songmid MID of the song: 1 to 32 letters, digits or underscores.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Other versions of a song: live, covers, remixes.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getOtherVersions({ songmid: '00DemoSong0001' })
   */
  getOtherVersions (input: GetOtherVersionsInput, options?: CallOptions): Promise<OtherVersions>

  /**
   * Up to a hundred songs in detail.
   *
   * Each element is the record of /getSongInfo, in the requested order. A song that cannot be fetched is {error, code, song_mid} instead; the whole request fails only if the upstream was down for all songs.
   *
   * @param input.songs The songs, at most 100. If omitted: none. Default: [].
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One element for each requested song, in the same order.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.batchGetSongInfo({ songs: [['00DemoSong0001'], ['00DemoSong0002', '5000002']] })
   */
  batchGetSongInfo (input?: BatchGetSongInfoInput, options?: CallOptions): Promise<(SongInfo | SongInfoFailure)[]>

  /**
   * Address, size and name of a song's file.
   *
   * The relay sends the address, not the file. Only files that the caller's account may use; encrypted files are omitted. No address is not an error: url is "", and reason and hint say why.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.songmid MID of the song: 1 to 32 letters, digits or underscores.
   * @param input.quality 128 (MP3, the default), 320 (MP3), m4a (AAC, about 96 kbit/s), aac24, aac48, aac192, ogg96, ogg192, ogg320, ogg640 (kbit/s), flac, ape, hires, master (lossless), trial (a short part of a song that costs), or best: the best the account may have. Default: '128'.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Download address of a song, or why there is none.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.downloadProviderMusic({ songmid: '00DemoSong0001', quality: 'm4a' })
   */
  downloadProviderMusic (input: DownloadProviderMusicInput, options?: CallOptions): Promise<Download>

  /**
   * The audio of a song, for players.
   *
   * A permanent address for audio elements, mpv, VLC, speakers and lists. Answers with a redirect to the file, or, if the setting stream is relay, with the file itself, with ranges. If the song cannot be played, the answer is 404, and reason and hint say why. A caller that accepts only application/json gets the address as JSON.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.songmid MID of the song: 1 to 32 letters, digits or underscores.
   * @param input.quality 128 (MP3, the default), 320 (MP3), m4a (AAC, about 96 kbit/s), aac24, aac48, aac192, ogg96, ogg192, ogg320, ogg640 (kbit/s), flac, ape, hires, master (lossless), trial (a short part of a song that costs), or best: the best the account may have. Default: '128'.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The file: status, headers and a stream of its bytes.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, NOT_PLAYABLE, RANGE_NOT_SATISFIABLE, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.stream({ songmid: '00DemoSong0001' })
   */
  stream (input: StreamInput, options?: CallOptions): Promise<AudioStream>

  /**
   * Search for songs, singers and albums.
   *
   * All three lists have the same page number. If the upstream refuses a search, other sources are tried; the last one is its suggestions, with at most four songs. Without hits the three lists are empty. zhida is the singer or album that the words name exactly, or null. The upstream answers about one search for albums and singers a second; under load these two lists are short.
   *
   * @param input.key Search words: 1 to 200 characters.
   * @param input.limit Number of rows, 1 to 100. Default: 10.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param input.catZhida 1 adds zhida, the direct hit; 0 omits it. The three lists are the same. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of songs, singers and albums.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSearchByKey({ key: 'paper', limit: 3 })
   */
  getSearchByKey (input: GetSearchByKeyInput, options?: CallOptions): Promise<SearchResult>

  /**
   * Search for songs, albums, singers, playlists, MVs or lyrics.
   *
   * One kind, page by page; /getSearchByKey returns songs, albums and singers at once. The rows are in the list named after the type; the other lists are empty. Songs, playlists and MVs come from the site first, the other kinds from the provider's programs, which answer about one search a second. If all refuse, albums and singers are a few suggestions. Rows of lyric were seen from one program, for an account; other programs are tried in the same way. Without hits the list is empty.
   *
   * @param input.type Kind to search. lyric: songs by words of their lyric.
   * @param input.key Search words: 1 to 200 characters.
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of results of one kind.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.search({ key: 'paper', type: 'playlist', limit: 3 })
   */
  search (input: SearchInput, options?: CallOptions): Promise<TypedSearchResult>

  /**
   * Search suggestions while typing.
   *
   * A few songs, singers and albums that may match the words. Numbers are texts here, as the upstream sends them. Without hits the three lists are empty.
   *
   * @param input.key Search words: 1 to 200 characters.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Suggestions while typing.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSmartbox({ key: 'paper' })
   */
  getSmartbox (input: GetSmartboxInput, options?: CallOptions): Promise<Smartbox>

  /**
   * Trending searches.
   *
   * Keywords with their heat, hottest first.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Trending searches.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getHotkey()
   */
  getHotkey (input?: NoInput, options?: CallOptions): Promise<Hotkeys>

  /**
   * What a link, a number or a MID refers to.
   *
   * A song, album, singer, playlist, chart or MV, with the id that the other endpoints take: mid for songs, albums, singers and MVs, id for playlists and charts. Links of the site, the programs and phones are read, old forms too. A short link costs one request; its redirect is read and not followed, and only addresses of the provider are accepted. The item of a link is not looked up, so it may no longer exist. A bare number is looked up among songs, albums and playlists (up to four digits also charts) in one request: if several have it, type is "" and candidates lists them. Singers and MVs cannot be found by number. A text without a link, number or MID is a 400; a short link that leads elsewhere and an unknown number are a 404.
   *
   * @param input.text A share link (text around it is allowed), a number, a MID or a vid: 1 to 1200 characters. With several links, the first valid one counts.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns What a link, a number or a MID refers to.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.resolve({ text: '00DemoSong0001' })
   */
  resolve (input: ResolveInput, options?: CallOptions): Promise<Resolved>

  /**
   * Playlists of a category.
   *
   * Without a category: all playlists. For an unknown category the list is empty, because the upstream sends the same answer as for an empty one.
   *
   * @param input.categoryId Category, from /getSongListCategories; 10000000 = all. Default: 10000000.
   * @param input.sortId Order: 5 recommended, 2 newest, 3 most listened, 4 best rated (the upstream treats 3 and 4 much like 5), 1 default (category 10000000 only). Default: 5.
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page, counted from 0; the first row is page * limit. Default: 0.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the playlists of a category.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSongLists({ categoryId: 10000000, limit: 3 })
   */
  getSongLists (input?: GetSongListsInput, options?: CallOptions): Promise<PlaylistPage>

  /**
   * Categories of playlists.
   *
   * The categories for /getSongLists, with the name of their group. 10000000 is all playlists.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns All categories of playlists.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSongListCategories()
   */
  getSongListCategories (input?: NoInput, options?: CallOptions): Promise<PlaylistCategories>

  /**
   * A playlist with its songs.
   *
   * Up to 1000 songs in one answer; use offset for more, and songnum for the total. A playlist that its owner hides is NOT_FOUND, unless the cookie is the owner's.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.disstid Playlist id: 1 to 19 digits.
   * @param input.offset First song, counted from 0. Default: 0.
   * @param input.limit Number of rows, 1 to 1000. Default: 1000.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns A playlist with its songs.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSongListDetail({ disstid: '7700000001', limit: 3 })
   */
  getSongListDetail (input: GetSongListDetailInput, options?: CallOptions): Promise<PlaylistDetail>

  /**
   * Playlists related to a song.
   *
   * nextCursor continues for some sixty playlists, without duplicates. An unknown song is 404.
   *
   * @param input.songmid MID of the song: 1 to 32 letters, digits or underscores.
   * @param input.cursor nextCursor of the previous answer, for the same song. If omitted: from the start.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Playlists related to a song.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getRelatedPlaylists({ songmid: '00DemoSong0001' })
   */
  getRelatedPlaylists (input: GetRelatedPlaylistsInput, options?: CallOptions): Promise<RelatedPlaylists>

  /**
   * New albums.
   *
   * Albums of the mainland area, as the upstream orders them. Beyond the last page the list is empty.
   *
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of new albums.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getNewDisks({ limit: 3 })
   */
  getNewDisks (input?: GetNewDisksInput, options?: CallOptions): Promise<NewAlbums>

  /**
   * Playlists of several categories, or several playlists with their songs.
   *
   * One element per category as /getSongLists answers it, then one per playlist id as /getSongListDetail answers it (its first 1000 songs). If the upstream refuses an element, it has `code` and `error` instead; the request as a whole fails only if all elements fail. An empty body returns one page of all playlists, an empty list of categories an empty answer.
   *
   * @param input.categoryIds Categories; one element of the answer each, at most 50. If omitted without disstid: [10000000], which is all playlists.
   * @param input.page Page, counted from 0; the first row is page * limit. Default: 0.
   * @param input.limit Number of rows, 1 to 100. Default: 19.
   * @param input.sortId Order: 5 recommended, 2 newest, 3 most listened, 4 best rated (the upstream treats 3 and 4 much like 5), 1 default (category 10000000 only). Default: 5.
   * @param input.disstid Playlist ids, separated by commas: their details, after the categories if both are given. page, limit and sortId do not apply to them.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One element per category, then one per playlist id, in the requested order. An element with `error` failed.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.batchGetSongLists({ categoryIds: [10000000, 6], limit: 3, disstid: '7700000001' })
   */
  batchGetSongLists (input?: BatchGetSongListsInput, options?: CallOptions): Promise<PlaylistBatch>

  /**
   * Singers by area, sex and genre.
   *
   * The numbers of area, sex and genre are defined by this relay; tags in the answer lists them. total counts the matching singers; a page beyond it is empty.
   *
   * @param input.area Area: -1 all, 1 mainland China, 2 other Chinese-language (Hong Kong, Taiwan), 3 Western, 4 Korea, 5 Japan, 6 other. The upstream's own 200 (= 1) and -100 (= -1) are accepted. Default: -1.
   * @param input.sex -1 all, 1 male, 2 female, 3 group. 0 (= 1) and -100 (= -1) are accepted. Default: -1.
   * @param input.genre -1 all, 1 pop, 2 rock, 3 folk, 4 electronic, 5 jazz, 6 hip-hop, 8 R&B, 9 light music, 10 ethnic, 14 classical, 19 Chinese style, 20 blues, 25 country. The upstream's own 7 (= 1), 11 (= 8), 13 (= 25), 33 (= 14), 37 (= 10), 93 (= 9) and -100 (= -1) are accepted. Default: -1.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param input.limit Number of rows, 1 to 100. Default: 80.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of singers.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSingerList({ area: 3, sex: -1, page: 1, limit: 5 })
   */
  getSingerList (input?: GetSingerListInput, options?: CallOptions): Promise<SingerList>

  /**
   * Description of a singer, with birth and birthplace.
   *
   * Texts are the upstream's, in its language and formats; nothing is reformatted. desc, birth and birthPlace are "" if the upstream has nothing, which is common for little-known singers. basic lists all facts.
   *
   * @param input.singermid MID of the singer: 1 to 32 letters, digits or underscores.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Details of a singer.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSingerDesc({ singermid: '00DemoSing0003' })
   */
  getSingerDesc (input: GetSingerDescInput, options?: CallOptions): Promise<SingerDesc>

  /**
   * Songs of a singer, most popular first.
   *
   * totalNum counts all songs of the singer; a page beyond it is empty.
   *
   * @param input.singermid MID of the singer: 1 to 32 letters, digits or underscores.
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the songs of a singer.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSingerHotsong({ singermid: '00DemoSing0001', limit: 5 })
   */
  getSingerHotsong (input: GetSingerHotsongInput, options?: CallOptions): Promise<SingerSongs>

  /**
   * Albums of a singer.
   *
   * total counts all albums of the singer; a page beyond it is empty. The order is the upstream's, popular ones first.
   *
   * @param input.singermid MID of the singer: 1 to 32 letters, digits or underscores.
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the albums of a singer.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSingerAlbum({ singermid: '00DemoSing0001', limit: 5 })
   */
  getSingerAlbum (input: GetSingerAlbumInput, options?: CallOptions): Promise<SingerAlbums>

  /**
   * MVs of a singer.
   *
   * total counts all MVs of the singer; a page beyond it is empty, and so is the list of an unknown singer, because the upstream does not tell them apart.
   *
   * @param input.singermid MID of the singer: 1 to 32 letters, digits or underscores.
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.order listen: most played first. time: newest first. Default: 'listen'.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the MVs of a singer.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSingerMv({ singermid: '00DemoSing0001', limit: 5, order: 'time' })
   */
  getSingerMv (input: GetSingerMvInput, options?: CallOptions): Promise<SingerMvs>

  /**
   * Similar singers.
   *
   * At most ten, without pages.
   *
   * @param input.singermid MID of the singer: 1 to 32 letters, digits or underscores.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Similar singers.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSimilarSinger({ singermid: '00DemoSing0001' })
   */
  getSimilarSinger (input: GetSimilarSingerInput, options?: CallOptions): Promise<SimilarSingers>

  /**
   * Number of followers of a singer.
   *
   * The upstream counts differently in different places, so the number may change by more than the real followers.
   *
   * @param input.singermid MID of the singer: 1 to 32 letters, digits or underscores.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Popularity of a singer.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSingerStarNum({ singermid: '00DemoSing0001' })
   */
  getSingerStarNum (input: GetSingerStarNumInput, options?: CallOptions): Promise<SingerStarNum>

  /**
   * Songs that a singer sang, wrote or produced.
   *
   * Tabs of the singer's page: songs by the role of the singer. /getSingerHotsong sorts by popularity and returns a total. For an unknown singer the list is empty, because the upstream sends the same answer.
   *
   * @param input.singermid MID of the singer: 1 to 32 letters, digits or underscores.
   * @param input.tab Role of the singer: song_sing sang, song_composing composed, song_lyric wrote the words, producer produced, arranger arranged, musician played. Albums, MVs and the description have their own endpoints. Default: 'song_sing'.
   * @param input.limit Number of rows, 1 to 30. Default: 10.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the songs that a singer sang, wrote or made.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSingerTab({ singermid: '00DemoSing0001', tab: 'song_composing', limit: 3 })
   */
  getSingerTab (input: GetSingerTabInput, options?: CallOptions): Promise<SingerTab>

  /**
   * MVs by area and kind.
   *
   * The hottest MVs of an area and a kind. area and version list the values of area_id and version_id. They are empty if the upstream does not send them; the MVs are present anyway.
   *
   * @param input.area_id Area: 15 all, 16 mainland China, 17 Hong Kong and Taiwan, 18 Western, 19 Korea, 20 Japan; the answer lists them. An unknown one has no MVs. Default: 15.
   * @param input.version_id Kind: 7 all, 8 MV, 9 live, 10 cover, 11 dance, 12 film and television, 13 variety show, 14 children; the answer lists them. An unknown one has no MVs. Default: 7.
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page; 0 and 1 both mean the first page, 2 the second. Default: 0.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of MVs of an area and a kind.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getMv({ area_id: 15, version_id: 7, limit: 3 })
   */
  getMv (input?: GetMvInput, options?: CallOptions): Promise<Mvs>

  /**
   * Play addresses of an MV, by definition.
   *
   * playLists always has the lists f10, f20, f30 and f40, and everything else in others. Files (mp4) and playlists (hls) are mixed; urls distinguishes them. If no address is playable, the groups are empty and there is a reason. An unknown vid is 502 UPSTREAM_EMPTY, because the upstream sends nothing for it.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.vid vid of the MV: 1 to 32 letters, digits or underscores. The number of an MV is not a vid.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Play addresses of an MV. mvinfo is absent when the upstream does not give it.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getMvPlay({ vid: 'demoV000004' })
   */
  getMvPlay (input: GetMvPlayInput, options?: CallOptions): Promise<MvPlay>

  /**
   * MVs by region, area, kind or search term.
   *
   * Regions, areas and kinds (the latter two by id or name, as /getMv lists them) are sorted by popularity. Any other tag is searched in titles and singers of MVs; without hits the list is empty.
   *
   * @param input.tag What to list. A region: all, neidi, gangtai, oumei, korea or japan, or its Chinese or English name. Or id or name of an area or kind, as /getMv lists them. Any other word is a search term.
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the MVs of a tag.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getMvByTag({ tag: 'korea', limit: 3 })
   */
  getMvByTag (input: GetMvByTagInput, options?: CallOptions): Promise<TaggedMvs>

  /**
   * MVs related to a song.
   *
   * The song's own MV and others, usually three at once; nextCursor fetches more. An unknown song is 404.
   *
   * @param input.songmid MID of the song: 1 to 32 letters, digits or underscores.
   * @param input.cursor nextCursor of the previous answer, for the same song. If omitted: from the start.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns MVs related to a song.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getRelatedMv({ songmid: '00DemoSong0001' })
   */
  getRelatedMv (input: GetRelatedMvInput, options?: CallOptions): Promise<RelatedMvs>

  /**
   * Address of a picture by id and size.
   *
   * Needs no upstream call. Ids are MIDs of albums, singers and others, with or without a version suffix (_1).
   *
   * @param input.id Id of the picture: the MID of an album or singer, or the pmid of an album.
   * @param input.size Width and height in pixels. Not every picture exists in the two largest. Default: '300x300'.
   * @param input.maxAge How long a cache may store the picture, in seconds. Default: 2592000.
   * @param input.type Type of the id. song: the picture of a song without album. Default: 'album'.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Address of a picture.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getImageUrl({ id: '00DemoAlbu0001', size: '500x500' })
   */
  getImageUrl (input: GetImageUrlInput, options?: CallOptions): Promise<ImageUrl>

  /**
   * The picture of an album, singer, playlist or song.
   *
   * A redirect to the picture, for img elements and players. Ids are those of the records: mid and pmid of albums, mid of singers. Needs no upstream call. A caller that accepts only application/json gets the address as JSON.
   *
   * @param input.id Id of the picture: the MID of an album or singer, the pmid of an album, or the name of a picture in an address of the provider, such as T002R300x300M000 and a MID.
   * @param input.size Width and height in pixels. Not every picture exists in the two largest. Default: '300x300'.
   * @param input.type Type of the id; not needed for the name of a picture. song: the picture of a song without album. Default: 'album'.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Address of a cover.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.cover({ id: '00DemoAlbu0001', size: '300x300' })
   */
  cover (input: CoverInput, options?: CallOptions): Promise<Cover>

  /**
   * Albums for sale as downloads.
   *
   * All sections of the shop in one list without duplicates; group is the first section of an album. Prices are in hundredths of a yuan.
   *
   * @param input.limit Number of rows, 1 to 100. Default: 20.
   * @param input.page Page, counted from 1; 0 also means the first page. Default: 1.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the albums for sale.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getDigitalAlbumLists({ limit: 3 })
   */
  getDigitalAlbumLists (input?: GetDigitalAlbumListsInput, options?: CallOptions): Promise<DigitalAlbums>

  /**
   * Radio stations, by group.
   *
   * Groups without a station are omitted.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns All radio stations.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getRadioLists()
   */
  getRadioLists (input?: NoInput, options?: CallOptions): Promise<Radios>

  /**
   * The home page: pictures, playlists, new songs and albums, charts.
   *
   * Each part is fetched separately. A part that the upstream does not send is an empty list; the answer is an error only if all parts fail. With a cookie, some parts are chosen for the account.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The parts of the home page.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getRecommend()
   */
  getRecommend (input?: NoInput, options?: CallOptions): Promise<Recommend>

  /**
   * The ticket shop (dead since 2019).
   *
   * The provider closed its ticket shop in 2019. All lists are empty, and the answer is a success. If the shop ever returns, the lists contain cities, shows and filters as the upstream sends them.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The ticket shop. Its rows are returned as the upstream sends them, because they are not documented. The shop has been dead since 2019, so everything is empty.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getTicketInfo()
   */
  getTicketInfo (input?: NoInput, options?: CallOptions): Promise<TicketInfo>

  /**
   * Comments on a song, album, playlist or MV.
   *
   * Pages count from 0 and need no cursor. A page can have fewer rows than pagesize, because comments without text are omitted: continue while morecomment is true. After the last page the list is empty. With a cookie the upstream lists a page only after the previous one; a page more than 1000 rows from any recently requested page is a 400 that names pagenum. If the modern lists fail, the classic ones are used: they have no recommended order (the newest come first) and other ids. An unknown number has no comments; an unknown MID is 404.
   *
   * @param input.id The target of the comments: number or MID of a song or album, number of a playlist, vid or number of an MV. A MID is looked up first.
   * @param input.biztype Type of id: 1 song, 2 album, 3 playlist, 4 MV. Default: 1.
   * @param input.reqtype Order: 1 recommended, 2 newest first, 3 most liked first. Default: 1.
   * @param input.pagesize Number of rows, 1 to 50. Default: 25.
   * @param input.pagenum Page, counted from 0; the first row is page * limit. Default: 0.
   * @param input.cmd Uses the upstream's classic list instead, and ignores reqtype: 8 newest; 6 most liked of songs and MVs; 9 most liked of albums and playlists. If omitted: the modern lists by reqtype.
   * @param input.rootcommentid rootcommentid of a comment: the list then holds the replies to it, at most 500, and pages count replies; cursor is ignored. When the call for replies has none, those that come along with the comment, which is looked for among the first 250 of the list.
   * @param input.cursor nextCursor of the page before, with the same pagesize and order: pagenum is then ignored. Not needed, but sure also where the upstream does not list pages by number.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of comments; hot_comment has popular ones that the upstream sends with the first page, usually none.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getComments({ id: '5000001', biztype: 1, reqtype: 3, pagesize: 5 })
   */
  getComments (input: GetCommentsInput, options?: CallOptions): Promise<Comments>

  /**
   * Playlists of an account.
   *
   * The playlists that the account made, its liked songs first (dirid 201). Public lists need no login; with a cookie the lists of its own account are complete, and an expired cookie is reported as COOKIE_REJECTED.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.uin Whose playlists. Digits; a leading "o" and zeros do not count.
   * @param input.offset Number of rows to skip. Default: 0.
   * @param input.limit Number of rows, 1 to 100. Default: 30.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Playlists that an account made, including its liked songs.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getUserPlaylists({ uin: '1000000101', limit: 10 })
   */
  getUserPlaylists (input: GetUserPlaylistsInput, options?: CallOptions): Promise<UserPlaylists>

  /**
   * Address of an account's picture.
   *
   * Built from k or uin without an upstream call, so it needs no login. One of them is required; if both are given, k is used.
   *
   * @param input.k Avatar key, the k parameter of an avatar address the provider gave. Required without uin; if k is given, uin is ignored.
   * @param input.uin Whose avatar, when k is not given. Digits; a leading "o" and zeros do not count.
   * @param input.size Width and height in pixels: 40, 100, 140 or 640. Default: 140.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Address of an account's picture.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getUserAvatar({ uin: '1000000101', size: 140 })
   */
  getUserAvatar (input?: GetUserAvatarInput, options?: CallOptions): Promise<UserAvatar>

  /**
   * Songs that an account likes.
   *
   * The liked songs of the cookie's account, or of another account whose list is public. Consecutive pages have no gap and no overlap. An expired cookie is reported as COOKIE_REJECTED.
   *
   * A login is required: pass its cookie as `options.cookie`.
   *
   * @param input.uin Whose liked songs; left out: those of the account of the cookie. Digits; a leading "o" and zeros do not count.
   * @param input.offset Number of rows to skip. Default: 0.
   * @param input.limit Number of rows, 1 to 100. Default: 30.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the songs that an account likes.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, LOGIN_REQUIRED, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getUserLikedSongs({ limit: 3 }, { cookie })
   */
  getUserLikedSongs (input?: GetUserLikedSongsInput, options?: CallOptions): Promise<LikedSongs>

  /**
   * Playlists that an account collected.
   *
   * Playlists of others that the cookie's account collected, or another account whose list is public. Its own playlists are at /user/getUserPlaylists. An expired cookie is reported as COOKIE_REJECTED.
   *
   * A login is required: pass its cookie as `options.cookie`.
   *
   * @param input.uin Whose collected playlists; left out: those of the account of the cookie. Digits; a leading "o" and zeros do not count.
   * @param input.offset Number of rows to skip. Default: 0.
   * @param input.limit Number of rows, 1 to 100. Default: 30.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the playlists that an account collected.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, LOGIN_REQUIRED, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getUserCollectedPlaylists({ limit: 3 }, { cookie })
   */
  getUserCollectedPlaylists (input?: GetUserCollectedPlaylistsInput, options?: CallOptions): Promise<CollectedPlaylists>

  /**
   * Albums that an account collected.
   *
   * Albums that the cookie's account collected, or another account whose list is public. An expired cookie is reported as COOKIE_REJECTED.
   *
   * A login is required: pass its cookie as `options.cookie`.
   *
   * @param input.uin Whose collected albums; left out: those of the account of the cookie. Digits; a leading "o" and zeros do not count.
   * @param input.offset Number of rows to skip. Default: 0.
   * @param input.limit Number of rows, 1 to 100. Default: 30.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the albums that an account collected.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, LOGIN_REQUIRED, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getUserCollectedAlbums({ limit: 3 }, { cookie })
   */
  getUserCollectedAlbums (input?: GetUserCollectedAlbumsInput, options?: CallOptions): Promise<CollectedAlbums>

  /**
   * Singers that an account follows.
   *
   * Singers that the cookie's account follows, or another account whose list is public. An expired cookie is reported as COOKIE_REJECTED.
   *
   * A login is required: pass its cookie as `options.cookie`.
   *
   * @param input.uin Whose followed singers; left out: those of the account of the cookie. Digits; a leading "o" and zeros do not count.
   * @param input.offset Number of rows to skip. Default: 0.
   * @param input.limit Number of rows, 1 to 100. Default: 30.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns One page of the singers that an account follows.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, LOGIN_REQUIRED, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getUserFollowedSingers({ limit: 3 }, { cookie })
   */
  getUserFollowedSingers (input?: GetUserFollowedSingersInput, options?: CallOptions): Promise<FollowedSingers>

  /**
   * Whether the login is valid, its account and its subscription.
   *
   * For the cookie of the request, the secret of a stored account, and the global login. If the upstream no longer accepts the login, alive is false; other endpoints then fail with COOKIE_REJECTED. The subscription is what the upstream reports; it is not inferred from what plays. The fields of the subscription were seen by two clients of 2026, its larger kind in both.
   *
   * A login is required: pass its cookie as `options.cookie`.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The login of a request: its account, whether it is valid, and its subscription.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): LOGIN_REQUIRED, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.account({}, { cookie })
   */
  account (input?: NoInput, options?: CallOptions): Promise<AccountState>

  /**
   * The cookie of this request, in neutral names.
   *
   * Shows which parts of the given cookie the relay understood; other names are dropped. Without a cookie everything is empty. The values of the global cookie are hidden unless exposeGlobalCookie is on.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The cookie that this request uses, in the names of this interface. Values of the global cookie show as *** unless exposeGlobalCookie is on.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getCookie()
   */
  getCookie (input?: NoInput, options?: CallOptions): Promise<CookieInfo>

  /**
   * Today's songs for an account.
   *
   * The playlist that the upstream makes for the account every day. If there is none, the songs come from the personal radio station, and dissid is "". An expired cookie is COOKIE_REJECTED.
   *
   * A login is required: pass its cookie as `options.cookie`.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The songs that the upstream chose for an account today.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): LOGIN_REQUIRED, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getDailyRecommend({}, { cookie })
   */
  getDailyRecommend (input?: NoInput, options?: CallOptions): Promise<DailyRecommend>

  /**
   * Songs and playlists recommended to an account.
   *
   * The upstream's radar songs (if they fail, those of the personal radio station), and the playlists of the account's home feed. An expired cookie is COOKIE_REJECTED.
   *
   * A login is required: pass its cookie as `options.cookie`.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Songs and playlists that the upstream recommends to an account.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): LOGIN_REQUIRED, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getPersonalRecommend({}, { cookie })
   */
  getPersonalRecommend (input?: NoInput, options?: CallOptions): Promise<PersonalRecommend>

  /**
   * Similar songs.
   *
   * About thirty songs at most, as one list without pages. For a few songs there are none. Works without a login.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.songmid MID of the song: 1 to 32 letters, digits or underscores.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns Similar songs.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getSimilarSongs({ songmid: '00DemoSong0001' })
   */
  getSimilarSongs (input: GetSimilarSongsInput, options?: CallOptions): Promise<SimilarSongs>

  /**
   * Songs of a radio station, endlessly.
   *
   * Pass nextCursor of an answer as cursor to get more: no song repeats within one session. The relay stores nothing: the cursor contains the previous songs. Each call returns other songs, so nothing is cached. A station without songs is 404, like an unknown one, because the upstream sends the same answer.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.radioId Number of the station, the radioId of /getRadioLists. Not 99, the personal station: /getPersonalRadio has its songs.
   * @param input.limit Number of songs, 1 to 30. Default: 10.
   * @param input.cursor nextCursor of the answer before: no song of it, or of the up to 500 before it, comes again. If omitted: a new sitting begins.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The next songs of a station.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getRadioSongs({ radioId: 199, limit: 3 })
   */
  getRadioSongs (input: GetRadioSongsInput, options?: CallOptions): Promise<RadioSongs>

  /**
   * New discoveries of the upstream, endlessly.
   *
   * With a login, the songs are chosen for the account. Pass nextCursor of an answer as cursor to get more: no song repeats within one session. An expired cookie is COOKIE_REJECTED.
   *
   * A login is optional: pass its cookie as `options.cookie`.
   *
   * @param input.limit Number of songs, 1 to 30. Default: 10.
   * @param input.cursor nextCursor of the answer before: no song of it, or of the up to 500 before it, comes again. If omitted: a new sitting begins.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The next songs of a station.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getRadarSongs({ limit: 3 })
   */
  getRadarSongs (input?: GetRadarSongsInput, options?: CallOptions): Promise<RadioSongs>

  /**
   * The personal station of an account: an endless list of songs that it may like.
   *
   * Pass nextCursor of an answer as cursor to get more: no song repeats within one session. The upstream sends about five songs at once, so ten cost two requests. An expired cookie is COOKIE_REJECTED.
   *
   * A login is required: pass its cookie as `options.cookie`.
   *
   * @param input.limit Number of songs, 1 to 30. Default: 10.
   * @param input.cursor nextCursor of the answer before: no song of it, or of the up to 500 before it, comes again. If omitted: a new sitting begins.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns The next songs of a station.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, LOGIN_REQUIRED, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT.
   * @example
   * await relay.getPersonalRadio({ limit: 5 }, { cookie })
   */
  getPersonalRadio (input?: GetPersonalRadioInput, options?: CallOptions): Promise<RadioSongs>

  /**
   * A QR code to log in with, main channel.
   *
   * Show img, store qrsig, then call /checkMainLoginQr every two seconds.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns A QR code of the main channel, valid for about two minutes.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, QR_UNAVAILABLE, LOGIN_SIGN_URL, LOGIN_P_SKEY, LOGIN_NO_REDIRECT, LOGIN_NO_CODE, LOGIN_REFUSED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT, LOGIN_TIMEOUT.
   * @example
   * await relay.getMainLoginQr()
   */
  getMainLoginQr (input?: NoInput, options?: CallOptions): Promise<MainLoginQr>

  /**
   * State of a main QR login, and its session once confirmed.
   *
   * Answers at once; repeat it every two seconds. While isOk is false, status says whether to continue. The check that finds the login confirmed completes it and returns the session, always with a usable key. Concurrent checks of one qrsig share one exchange. If a step fails, the answer has one of the LOGIN_ codes; start again with a new QR code. 503 UPSTREAM_PAUSED: repeat after the seconds in Retry-After, with the same qrsig.
   *
   * @param input.qrsig The qrsig of /getMainLoginQr.
   * @param input.ptqrtoken The ptqrtoken of /getMainLoginQr, as text or number. Accepted and ignored: it is computed from qrsig.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns State of a main QR login.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, QR_UNAVAILABLE, LOGIN_SIGN_URL, LOGIN_P_SKEY, LOGIN_NO_REDIRECT, LOGIN_NO_CODE, LOGIN_REFUSED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT, LOGIN_TIMEOUT.
   * @example
   * await relay.checkMainLoginQr({ qrsig: 'demo-unknown-qrsig' })
   */
  checkMainLoginQr (input: CheckMainLoginQrInput, options?: CallOptions): Promise<MainLoginCheck>

  /**
   * A QR code to log in with, alternative channel.
   *
   * Show img, store uuid, then call /checkAltLoginQr, which waits for news.
   *
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns A QR code of the alternative channel.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, QR_UNAVAILABLE, LOGIN_SIGN_URL, LOGIN_P_SKEY, LOGIN_NO_REDIRECT, LOGIN_NO_CODE, LOGIN_REFUSED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT, LOGIN_TIMEOUT.
   * @example
   * await relay.getAltLoginQr()
   */
  getAltLoginQr (input?: NoInput, options?: CallOptions): Promise<AltLoginQr>

  /**
   * State of an alternative QR login, and its session once confirmed.
   *
   * Waits for news up to about 35 seconds; errcode says what happened. Repeat the check on 408 (it may come early when many people wait), and a second later on 404. 503 UPSTREAM_PAUSED: repeat after the seconds in Retry-After, with the same uuid. Concurrent checks of one uuid share one wait and one exchange; if all callers disconnect, the wait ends. If too many checks wait, the answer is 503 OVERLOADED.
   *
   * @param input.uuid The uuid of /getAltLoginQr.
   * @param options Cookie of the caller, and a signal that ends the call early.
   * @returns State of an alternative QR login.
   * @throws {RelayError} with one of these codes (see {@link ErrorCode}): INVALID_INPUT, NOT_FOUND, UPSTREAM_UNREACHABLE, UPSTREAM_UNREADABLE, UPSTREAM_REFUSED, UPSTREAM_EMPTY, COOKIE_REJECTED, QR_UNAVAILABLE, LOGIN_SIGN_URL, LOGIN_P_SKEY, LOGIN_NO_REDIRECT, LOGIN_NO_CODE, LOGIN_REFUSED, OVERLOADED, UPSTREAM_PAUSED, UPSTREAM_TIMEOUT, LOGIN_TIMEOUT.
   * @example
   * await relay.checkAltLoginQr({ uuid: 'demo-unknown-uuid' })
   */
  checkAltLoginQr (input: CheckAltLoginQrInput, options?: CallOptions): Promise<AltLoginCheck>
}

/** The input of a function without parameters: `{}`, or nothing. */
export type NoInput = Record<never, never>

/** Input of `getRanks`: One chart with its songs, or all charts. */
export type GetRanksInput = {
  /** Chart id; any id the upstream knows. If omitted: all charts, with the songs of chart 4. */
  topId?: number
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page, counted from 0; the first row is page * limit.
   * @default 0
   */
  page?: number
  /** A past issue of the chart of topId, from /getRankPeriods. If omitted: the current one. An issue unknown to the upstream is 404. */
  period?: string
  /**
   * true or 1: songs without a MID get theirs from detail requests, one for each distinct song of songInfoList and topLists (at most five at once for the whole relay). Without topId that can be some dozens. false or 0: no detail requests.
   * @default false
   */
  resolveMid?: boolean
}

/** Input of `getRankPeriods`: Past issues of a chart. */
export type GetRankPeriodsInput = {
  /** Chart id, from /getRanks without topId. */
  topId: number
}

/** Input of `getSongInfo`: One song in detail, by number or MID. */
export type GetSongInfoInput = {
  /** Number of the song; this or songmid. Ignored beside a songmid. */
  songid?: number
  /** MID of the song; this or songid: 1 to 32 letters, digits or underscores. */
  songmid?: string
}

/** Input of `getMusicPlay`: Play address of up to fifty songs. */
export type GetMusicPlayInput = {
  /** MID of the song, or up to 50 of them, separated by commas. */
  songmid: string
  /** Number of the (first) song, if known: some songs are found only by number. The MID decides: a number that does not belong to it is ignored. */
  songid?: number
  /** MID of the media file of the (first) song, when known; otherwise it is looked up: 1 to 32 letters, digits or underscores. */
  mediaId?: string
  /**
   * 128 (MP3, the default), 320 (MP3), m4a (AAC, about 96 kbit/s), aac24, aac48, aac192, ogg96, ogg192, ogg320, ogg640 (kbit/s), flac, ape, hires, master (lossless), trial (a short part of a song that costs), or best: the best the account may have.
   * @default '128'
   */
  quality?: Quality
}

/** Input of `getLyric`: Timestamped lyric of a song, with its translation. */
export type GetLyricInput = {
  /** MID of the song: 1 to 32 letters, digits or underscores. */
  songmid: string
  /**
   * 1 parses the lyric into lines beside the text; 0 does not.
   * @default 0
   */
  isFormat?: 0 | 1
  /**
   * Addition to lyric and trans: lrc nothing, parsed the lines (the same as isFormat=1), ttml Timed Text, srt SubRip.
   * @default 'lrc'
   */
  format?: 'lrc' | 'parsed' | 'ttml' | 'srt'
  /**
   * true or 1: adds the romanisation, if the upstream sends one unencrypted.
   * @default false
   */
  roma?: boolean
}

/** Input of `getAlbumInfo`: One album with its songs. */
export type GetAlbumInfoInput = {
  /** MID of the album: 1 to 32 letters, digits or underscores. */
  albummid: string
}

/** Input of `getOtherVersions`: Other versions of a song. */
export type GetOtherVersionsInput = {
  /** MID of the song: 1 to 32 letters, digits or underscores. */
  songmid: string
}

/** Input of `batchGetSongInfo`: Up to a hundred songs in detail. */
export type BatchGetSongInfoInput = {
  /**
   * The songs, at most 100. If omitted: none.
   * @default []
   */
  songs?: ((string | number)[])[]
}

/** Input of `downloadProviderMusic`: Address, size and name of a song's file. */
export type DownloadProviderMusicInput = {
  /** MID of the song: 1 to 32 letters, digits or underscores. */
  songmid: string
  /**
   * 128 (MP3, the default), 320 (MP3), m4a (AAC, about 96 kbit/s), aac24, aac48, aac192, ogg96, ogg192, ogg320, ogg640 (kbit/s), flac, ape, hires, master (lossless), trial (a short part of a song that costs), or best: the best the account may have.
   * @default '128'
   */
  quality?: Quality
}

/** Input of `stream`: The audio of a song, for players. */
export type StreamInput = {
  /** MID of the song: 1 to 32 letters, digits or underscores. */
  songmid: string
  /**
   * 128 (MP3, the default), 320 (MP3), m4a (AAC, about 96 kbit/s), aac24, aac48, aac192, ogg96, ogg192, ogg320, ogg640 (kbit/s), flac, ape, hires, master (lossless), trial (a short part of a song that costs), or best: the best the account may have.
   * @default '128'
   */
  quality?: Quality
}

/** Input of `getSearchByKey`: Search for songs, singers and albums. */
export type GetSearchByKeyInput = {
  /** Search words: 1 to 200 characters. */
  key: string
  /**
   * Number of rows, 1 to 100.
   * @default 10
   */
  limit?: number
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
  /**
   * 1 adds zhida, the direct hit; 0 omits it. The three lists are the same.
   * @default 1
   */
  catZhida?: 0 | 1
}

/** Input of `search`: Search for songs, albums, singers, playlists, MVs or lyrics. */
export type SearchInput = {
  /** Kind to search. lyric: songs by words of their lyric. */
  type: SearchType
  /** Search words: 1 to 200 characters. */
  key: string
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
}

/** Input of `getSmartbox`: Search suggestions while typing. */
export type GetSmartboxInput = {
  /** Search words: 1 to 200 characters. */
  key: string
}

/** Input of `resolve`: What a link, a number or a MID refers to. */
export type ResolveInput = {
  /** A share link (text around it is allowed), a number, a MID or a vid: 1 to 1200 characters. With several links, the first valid one counts. */
  text: string
}

/** Input of `getSongLists`: Playlists of a category. */
export type GetSongListsInput = {
  /**
   * Category, from /getSongListCategories; 10000000 = all.
   * @default 10000000
   */
  categoryId?: number
  /**
   * Order: 5 recommended, 2 newest, 3 most listened, 4 best rated (the upstream treats 3 and 4 much like 5), 1 default (category 10000000 only).
   * @default 5
   */
  sortId?: number
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page, counted from 0; the first row is page * limit.
   * @default 0
   */
  page?: number
}

/** Input of `getSongListDetail`: A playlist with its songs. */
export type GetSongListDetailInput = {
  /** Playlist id: 1 to 19 digits. */
  disstid: string
  /**
   * First song, counted from 0.
   * @default 0
   */
  offset?: number
  /**
   * Number of rows, 1 to 1000.
   * @default 1000
   */
  limit?: number
}

/** Input of `getRelatedPlaylists`: Playlists related to a song. */
export type GetRelatedPlaylistsInput = {
  /** MID of the song: 1 to 32 letters, digits or underscores. */
  songmid: string
  /** nextCursor of the previous answer, for the same song. If omitted: from the start. */
  cursor?: string
}

/** Input of `getNewDisks`: New albums. */
export type GetNewDisksInput = {
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
}

/** Input of `batchGetSongLists`: Playlists of several categories, or several playlists with their songs. */
export type BatchGetSongListsInput = {
  /** Categories; one element of the answer each, at most 50. If omitted without disstid: [10000000], which is all playlists. */
  categoryIds?: number[]
  /**
   * Page, counted from 0; the first row is page * limit.
   * @default 0
   */
  page?: number
  /**
   * Number of rows, 1 to 100.
   * @default 19
   */
  limit?: number
  /**
   * Order: 5 recommended, 2 newest, 3 most listened, 4 best rated (the upstream treats 3 and 4 much like 5), 1 default (category 10000000 only).
   * @default 5
   */
  sortId?: number
  /** Playlist ids, separated by commas: their details, after the categories if both are given. page, limit and sortId do not apply to them. */
  disstid?: string
}

/** Input of `getSingerList`: Singers by area, sex and genre. */
export type GetSingerListInput = {
  /**
   * Area: -1 all, 1 mainland China, 2 other Chinese-language (Hong Kong, Taiwan), 3 Western, 4 Korea, 5 Japan, 6 other. The upstream's own 200 (= 1) and -100 (= -1) are accepted.
   * @default -1
   */
  area?: -1 | 1 | 2 | 3 | 4 | 5 | 6 | 200 | -100
  /**
   * -1 all, 1 male, 2 female, 3 group. 0 (= 1) and -100 (= -1) are accepted.
   * @default -1
   */
  sex?: -1 | 0 | 1 | 2 | 3 | -100
  /**
   * -1 all, 1 pop, 2 rock, 3 folk, 4 electronic, 5 jazz, 6 hip-hop, 8 R&B, 9 light music, 10 ethnic, 14 classical, 19 Chinese style, 20 blues, 25 country. The upstream's own 7 (= 1), 11 (= 8), 13 (= 25), 33 (= 14), 37 (= 10), 93 (= 9) and -100 (= -1) are accepted.
   * @default -1
   */
  genre?: -1 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 13 | 14 | 19 | 20 | 25 | 33 | 37 | 93 | -100
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
  /**
   * Number of rows, 1 to 100.
   * @default 80
   */
  limit?: number
}

/** Input of `getSingerDesc`: Description of a singer, with birth and birthplace. */
export type GetSingerDescInput = {
  /** MID of the singer: 1 to 32 letters, digits or underscores. */
  singermid: string
}

/** Input of `getSingerHotsong`: Songs of a singer, most popular first. */
export type GetSingerHotsongInput = {
  /** MID of the singer: 1 to 32 letters, digits or underscores. */
  singermid: string
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
}

/** Input of `getSingerAlbum`: Albums of a singer. */
export type GetSingerAlbumInput = {
  /** MID of the singer: 1 to 32 letters, digits or underscores. */
  singermid: string
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
}

/** Input of `getSingerMv`: MVs of a singer. */
export type GetSingerMvInput = {
  /** MID of the singer: 1 to 32 letters, digits or underscores. */
  singermid: string
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * listen: most played first. time: newest first.
   * @default 'listen'
   */
  order?: 'time' | 'listen'
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
}

/** Input of `getSimilarSinger`: Similar singers. */
export type GetSimilarSingerInput = {
  /** MID of the singer: 1 to 32 letters, digits or underscores. */
  singermid: string
}

/** Input of `getSingerStarNum`: Number of followers of a singer. */
export type GetSingerStarNumInput = {
  /** MID of the singer: 1 to 32 letters, digits or underscores. */
  singermid: string
}

/** Input of `getSingerTab`: Songs that a singer sang, wrote or produced. */
export type GetSingerTabInput = {
  /** MID of the singer: 1 to 32 letters, digits or underscores. */
  singermid: string
  /**
   * Role of the singer: song_sing sang, song_composing composed, song_lyric wrote the words, producer produced, arranger arranged, musician played. Albums, MVs and the description have their own endpoints.
   * @default 'song_sing'
   */
  tab?: 'song_sing' | 'song_composing' | 'song_lyric' | 'producer' | 'arranger' | 'musician'
  /**
   * Number of rows, 1 to 30.
   * @default 10
   */
  limit?: number
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
}

/** Input of `getMv`: MVs by area and kind. */
export type GetMvInput = {
  /**
   * Area: 15 all, 16 mainland China, 17 Hong Kong and Taiwan, 18 Western, 19 Korea, 20 Japan; the answer lists them. An unknown one has no MVs.
   * @default 15
   */
  area_id?: number
  /**
   * Kind: 7 all, 8 MV, 9 live, 10 cover, 11 dance, 12 film and television, 13 variety show, 14 children; the answer lists them. An unknown one has no MVs.
   * @default 7
   */
  version_id?: number
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page; 0 and 1 both mean the first page, 2 the second.
   * @default 0
   */
  page?: number
}

/** Input of `getMvPlay`: Play addresses of an MV, by definition. */
export type GetMvPlayInput = {
  /** vid of the MV: 1 to 32 letters, digits or underscores. The number of an MV is not a vid. */
  vid: string
}

/** Input of `getMvByTag`: MVs by region, area, kind or search term. */
export type GetMvByTagInput = {
  /** What to list. A region: all, neidi, gangtai, oumei, korea or japan, or its Chinese or English name. Or id or name of an area or kind, as /getMv lists them. Any other word is a search term. */
  tag: string
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
}

/** Input of `getRelatedMv`: MVs related to a song. */
export type GetRelatedMvInput = {
  /** MID of the song: 1 to 32 letters, digits or underscores. */
  songmid: string
  /** nextCursor of the previous answer, for the same song. If omitted: from the start. */
  cursor?: string
}

/** Input of `getImageUrl`: Address of a picture by id and size. */
export type GetImageUrlInput = {
  /** Id of the picture: the MID of an album or singer, or the pmid of an album. */
  id: string
  /**
   * Width and height in pixels. Not every picture exists in the two largest.
   * @default '300x300'
   */
  size?: '90x90' | '150x150' | '180x180' | '300x300' | '500x500' | '800x800' | '1200x1200' | '1500x1500'
  /**
   * How long a cache may store the picture, in seconds.
   * @default 2592000
   */
  maxAge?: number
  /**
   * Type of the id. song: the picture of a song without album.
   * @default 'album'
   */
  type?: 'album' | 'singer' | 'playlist' | 'song'
}

/** Input of `cover`: The picture of an album, singer, playlist or song. */
export type CoverInput = {
  /** Id of the picture: the MID of an album or singer, the pmid of an album, or the name of a picture in an address of the provider, such as T002R300x300M000 and a MID. */
  id: string
  /**
   * Width and height in pixels. Not every picture exists in the two largest.
   * @default '300x300'
   */
  size?: '90x90' | '150x150' | '180x180' | '300x300' | '500x500' | '800x800' | '1200x1200' | '1500x1500'
  /**
   * Type of the id; not needed for the name of a picture. song: the picture of a song without album.
   * @default 'album'
   */
  type?: 'album' | 'singer' | 'playlist' | 'song'
}

/** Input of `getDigitalAlbumLists`: Albums for sale as downloads. */
export type GetDigitalAlbumListsInput = {
  /**
   * Number of rows, 1 to 100.
   * @default 20
   */
  limit?: number
  /**
   * Page, counted from 1; 0 also means the first page.
   * @default 1
   */
  page?: number
}

/** Input of `getComments`: Comments on a song, album, playlist or MV. */
export type GetCommentsInput = {
  /** The target of the comments: number or MID of a song or album, number of a playlist, vid or number of an MV. A MID is looked up first. */
  id: string
  /**
   * Type of id: 1 song, 2 album, 3 playlist, 4 MV.
   * @default 1
   */
  biztype?: 1 | 2 | 3 | 4
  /**
   * Order: 1 recommended, 2 newest first, 3 most liked first.
   * @default 1
   */
  reqtype?: 1 | 2 | 3
  /**
   * Number of rows, 1 to 50.
   * @default 25
   */
  pagesize?: number
  /**
   * Page, counted from 0; the first row is page * limit.
   * @default 0
   */
  pagenum?: number
  /** Uses the upstream's classic list instead, and ignores reqtype: 8 newest; 6 most liked of songs and MVs; 9 most liked of albums and playlists. If omitted: the modern lists by reqtype. */
  cmd?: 6 | 8 | 9
  /** rootcommentid of a comment: the list then holds the replies to it, at most 500, and pages count replies; cursor is ignored. When the call for replies has none, those that come along with the comment, which is looked for among the first 250 of the list. */
  rootcommentid?: string
  /** nextCursor of the page before, with the same pagesize and order: pagenum is then ignored. Not needed, but sure also where the upstream does not list pages by number. */
  cursor?: string
}

/** Input of `getUserPlaylists`: Playlists of an account. */
export type GetUserPlaylistsInput = {
  /** Whose playlists. Digits; a leading "o" and zeros do not count. */
  uin: string
  /**
   * Number of rows to skip.
   * @default 0
   */
  offset?: number
  /**
   * Number of rows, 1 to 100.
   * @default 30
   */
  limit?: number
}

/** Input of `getUserAvatar`: Address of an account's picture. */
export type GetUserAvatarInput = {
  /** Avatar key, the k parameter of an avatar address the provider gave. Required without uin; if k is given, uin is ignored. */
  k?: string
  /** Whose avatar, when k is not given. Digits; a leading "o" and zeros do not count. */
  uin?: string
  /**
   * Width and height in pixels: 40, 100, 140 or 640.
   * @default 140
   */
  size?: 40 | 100 | 140 | 640
}

/** Input of `getUserLikedSongs`: Songs that an account likes. */
export type GetUserLikedSongsInput = {
  /** Whose liked songs; left out: those of the account of the cookie. Digits; a leading "o" and zeros do not count. */
  uin?: string
  /**
   * Number of rows to skip.
   * @default 0
   */
  offset?: number
  /**
   * Number of rows, 1 to 100.
   * @default 30
   */
  limit?: number
}

/** Input of `getUserCollectedPlaylists`: Playlists that an account collected. */
export type GetUserCollectedPlaylistsInput = {
  /** Whose collected playlists; left out: those of the account of the cookie. Digits; a leading "o" and zeros do not count. */
  uin?: string
  /**
   * Number of rows to skip.
   * @default 0
   */
  offset?: number
  /**
   * Number of rows, 1 to 100.
   * @default 30
   */
  limit?: number
}

/** Input of `getUserCollectedAlbums`: Albums that an account collected. */
export type GetUserCollectedAlbumsInput = {
  /** Whose collected albums; left out: those of the account of the cookie. Digits; a leading "o" and zeros do not count. */
  uin?: string
  /**
   * Number of rows to skip.
   * @default 0
   */
  offset?: number
  /**
   * Number of rows, 1 to 100.
   * @default 30
   */
  limit?: number
}

/** Input of `getUserFollowedSingers`: Singers that an account follows. */
export type GetUserFollowedSingersInput = {
  /** Whose followed singers; left out: those of the account of the cookie. Digits; a leading "o" and zeros do not count. */
  uin?: string
  /**
   * Number of rows to skip.
   * @default 0
   */
  offset?: number
  /**
   * Number of rows, 1 to 100.
   * @default 30
   */
  limit?: number
}

/** Input of `getSimilarSongs`: Similar songs. */
export type GetSimilarSongsInput = {
  /** MID of the song: 1 to 32 letters, digits or underscores. */
  songmid: string
}

/** Input of `getRadioSongs`: Songs of a radio station, endlessly. */
export type GetRadioSongsInput = {
  /** Number of the station, the radioId of /getRadioLists. Not 99, the personal station: /getPersonalRadio has its songs. */
  radioId: number
  /**
   * Number of songs, 1 to 30.
   * @default 10
   */
  limit?: number
  /** nextCursor of the answer before: no song of it, or of the up to 500 before it, comes again. If omitted: a new sitting begins. */
  cursor?: string
}

/** Input of `getRadarSongs`: New discoveries of the upstream, endlessly. */
export type GetRadarSongsInput = {
  /**
   * Number of songs, 1 to 30.
   * @default 10
   */
  limit?: number
  /** nextCursor of the answer before: no song of it, or of the up to 500 before it, comes again. If omitted: a new sitting begins. */
  cursor?: string
}

/** Input of `getPersonalRadio`: The personal station of an account: an endless list of songs that it may like. */
export type GetPersonalRadioInput = {
  /**
   * Number of songs, 1 to 30.
   * @default 10
   */
  limit?: number
  /** nextCursor of the answer before: no song of it, or of the up to 500 before it, comes again. If omitted: a new sitting begins. */
  cursor?: string
}

/** Input of `checkMainLoginQr`: State of a main QR login, and its session once confirmed. */
export type CheckMainLoginQrInput = {
  /** The qrsig of /getMainLoginQr. */
  qrsig: string
  /** The ptqrtoken of /getMainLoginQr, as text or number. Accepted and ignored: it is computed from qrsig. */
  ptqrtoken?: string | number
}

/** Input of `checkAltLoginQr`: State of an alternative QR login, and its session once confirmed. */
export type CheckAltLoginQrInput = {
  /** The uuid of /getAltLoginQr. */
  uuid: string
}

/** The form of every error. */
export type ErrorBody = {
  /** One sentence for people: what happened, to what, what to do. */
  error: string
  /** For programs, from a closed list. */
  code: ErrorCode
  /** Only without an address. NO_COOKIE: needs a login. COOKIE_EXPIRED: log in again. PAID: needs a subscription or a purchase. NO_SUCH_QUALITY: the song has no such file. NOT_FOUND: no such song or file. REGION: not offered where the relay runs. RISK_CONTROL: the upstream suspects a robot. UNKNOWN: none of these. */
  reason?: PlayReason
  /** Only with NOT_PLAYABLE: one sentence that says what to do. */
  hint?: string
}

/** A song. Missing numbers are 0, missing texts "". */
export type Song = {
  /** Number of the song; 0 when unknown. */
  id: number
  /** MID of the song; "" when unknown. */
  mid: string
  /** Short title. */
  name: string
  /** Full title. */
  title: string
  /** Subtitle, such as the film it is from; "" when there is none. */
  subtitle: string
  /** Singers, main one first. */
  singer: SongSinger[]
  /** The album it is on. */
  album: {
    /** Number of the album; 0 when unknown. */
    id: number
    /** MID of the album; "" when it has none. */
    mid: string
    /** Name of the album. */
    name: string
    /** Id of the album picture, for /getImageUrl; "" when unknown. */
    pmid: string
  }
  /** Its MV. */
  mv: {
    /** Number of the MV; 0 when there is none. */
    id: number
    /** vid of the MV; "" when there is none. */
    vid: string
  }
  /** Length in seconds; 0 when unknown. */
  interval: number
  /** Day of publication, YYYY-MM-DD; "" when unknown. */
  time_public: string
  /** Files of the song. */
  file: SongFile
  /** Payment for the song. */
  pay: SongPay
}

/** Files of the song. */
export type SongFile = {
  /** MID of the media files; differs from the song's MID for many songs. "" when unknown. */
  media_mid: string
  /** Bytes at 128 kbit/s MP3; 0 when there is none. */
  size_128mp3: number
  /** Bytes at 320 kbit/s MP3; 0 when there is none. */
  size_320mp3: number
  /** Bytes as FLAC; 0 when there is none. */
  size_flac: number
}

/** Payment for the song. */
export type SongPay = {
  /** 1 when playing needs a paid account, 0 otherwise or unknown. */
  pay_play: number
  /** 1 when downloading needs a paid account, 0 otherwise or unknown. */
  pay_down: number
  /** 1 when a subscription covers it, 0 otherwise or unknown. */
  pay_month: number
}

/** A singer, as listed in songs, albums and MVs. */
export type SongSinger = {
  /** Number of the singer; 0 when unknown. */
  id: number
  /** MID of the singer; "" when unknown. */
  mid: string
  /** Name. */
  name: string
}

/** A chart and one page of its songs. */
export type Chart = {
  /** All charts; present only when topId is left out. */
  topLists?: ChartPreview[]
  /** A chart without its songs. */
  topList: ChartHead
  /** Songs of the page, in chart order. */
  songInfoList: ChartSong[]
}

/** A chart without its songs. */
export type ChartHead = {
  /** Chart id. */
  id: number
  /** Chart name. */
  name: string
  /** Issue: a day (YYYY-MM-DD) or a week (YYYY_W); "" when the chart has none. */
  period: string
  /** Address of the chart picture; "" when there is none. */
  picUrl: string
  /** Day of the last update, YYYY-MM-DD; "" when unknown. */
  updateTime: string
  /** Description of the chart; "" when unknown. */
  intro: string
  /** Play count; 0 when unknown. */
  listenNum: number
  /** Number of songs; 0 when unknown. */
  totalNum: number
}

/** A chart with its first songs. */
export type ChartPreview = {
  /** Chart id. */
  id: number
  /** Chart name. */
  name: string
  /** Issue; "" when the chart has none. */
  period: string
  /** Address of the chart picture; "" when there is none. */
  picUrl: string
  /** The first songs, usually three. The upstream sends them without MIDs; resolveMid=true adds those of all songs with a number. */
  songs: ChartSong[]
}

/** A song of a chart. */
export type ChartSong = {
  /** Number of the song; 0 when the upstream gives none. */
  songId: number
  /** The same number. */
  song_id: number
  /** MID of the song; absent when unknown. */
  song_mid?: string
  /** The same MID. */
  mid?: string
  /** Title. */
  songName: string
  /** Singers, joined by "/". */
  singerName: string
  /** Position in the chart, from 1. */
  rank: number
}

/** The issues of a chart. */
export type RankPeriods = {
  /** Chart id. */
  topId: number
  /** Chart name. */
  name: string
  /** The current issue; "" when the chart has none. */
  period: string
  /** Issues that the upstream has, the latest first: weeks as YYYY_W. Daily charts have none. */
  periods: string[]
}

/** An album and its songs. */
export type AlbumInfo = {
  /** Number of the album; 0 when unknown. */
  id: number
  /** MID of the album. */
  mid: string
  /** Name. */
  albumName: string
  /** Singers, joined by "/". */
  singerName: string
  /** Day of publication, YYYY-MM-DD; "" when unknown. */
  publicTime: string
  /** About the album; "" when there is nothing. */
  desc: string
  /** Record company; "" when unknown. */
  company: string
  /** Genre, in the upstream's words; "" when unknown. */
  genre: string
  /** Language, in the upstream's words; "" when unknown. */
  language: string
  /** Number of songs. */
  total: number
  /** Its songs, in the order of the album. */
  songs: Song[]
}

/** Address of a song's audio. */
export type AudioAddress = {
  /** Address of the file at the provider, valid for some hours and bound to the requesting account. */
  url: string
  /** Content type of the file, such as audio/mpeg. */
  type: string
  /** Bytes of the file; 0 when unknown. */
  size: number
  /** Actual quality of the file. */
  quality: FileQuality
}

/** Download address of a song, or why there is none. */
export type Download = {
  /** Address of the file, valid for some hours and bound to the requesting account; "" when there is none, and reason says why. */
  url: string
  /** Bytes of the file; 0 without an address, or when unknown. */
  size: number
  /** Actual quality of the address; "" without one. */
  quality: '128' | 'm4a' | '320' | 'ape' | 'flac' | 'hires' | 'aac24' | 'aac48' | 'aac192' | 'ogg96' | 'ogg192' | 'ogg320' | 'ogg640' | 'master' | 'trial' | ''
  /** Qualities of the song's files, best first, whether or not the account may use them; absent when unknown. */
  availableQualities?: FileQuality[]
  /** Only without an address. NO_COOKIE: needs a login. COOKIE_EXPIRED: log in again. PAID: needs a subscription or a purchase. NO_SUCH_QUALITY: the song has no such file. NOT_FOUND: no such song or file. REGION: not offered where the relay runs. RISK_CONTROL: the upstream suspects a robot. UNKNOWN: none of these. */
  reason?: PlayReason
  /** Only without an address: one sentence that says what to do. */
  hint?: string
  /** Name of the file at the upstream, with its extension; "" without an address. */
  filename: string
}

/** Timestamped lyric of a song. */
export type Lyric = {
  /** Lines of the form [mm:ss.xx]text, separated by newlines; "" for a song without lyrics (or an unknown song: the upstream sends the same answer). */
  lyric: string
  /** The translation in the same form; "" when there is none. */
  trans: string
  /** The romanisation in the same form; "" when there is none. Present with roma=true. */
  roma?: string
  /** The lyric as a SubRip file, each subtitle with its romanisation and translation below. Present with format=srt, unless the lyric is implausibly long. */
  srt?: string
  /** The lyric as a TTML file; translation and romanisation are spans with the roles x-translation and x-roman. Present with format=ttml, unless the lyric is implausibly long. */
  ttml?: string
  /** Present with isFormat=1 or format=parsed, unless the lyric is implausibly long. */
  parsed?: {
    /** Header tags such as ti, ar, al, by, offset. */
    tags: Record<string, string>
    /** Lines in order of time; empty lines are omitted. */
    lines: LyricLine[]
  }
}

/** One line of a lyric. */
export type LyricLine = {
  /** Start of the line in milliseconds. */
  time: number
  /** Text of the line. */
  text: string
  /** Its translation; absent when there is none. */
  trans?: string
  /** Its romanisation; absent when there is none. */
  roma?: string
}

/** Play address of the first song, and of all in playUrl. No address is not an error: see reason and hint. */
export type MusicPlay = {
  /** Address of the file, valid for some hours and bound to the requesting account; "" when there is none, and reason says why. */
  url: string
  /** Bytes of the file; 0 without an address, or when unknown. */
  size: number
  /** Actual quality of the address; "" without one. */
  quality: '128' | 'm4a' | '320' | 'ape' | 'flac' | 'hires' | 'aac24' | 'aac48' | 'aac192' | 'ogg96' | 'ogg192' | 'ogg320' | 'ogg640' | 'master' | 'trial' | ''
  /** Qualities of the song's files, best first, whether or not the account may use them; absent when unknown. */
  availableQualities?: FileQuality[]
  /** Only without an address. NO_COOKIE: needs a login. COOKIE_EXPIRED: log in again. PAID: needs a subscription or a purchase. NO_SUCH_QUALITY: the song has no such file. NOT_FOUND: no such song or file. REGION: not offered where the relay runs. RISK_CONTROL: the upstream suspects a robot. UNKNOWN: none of these. */
  reason?: PlayReason
  /** Only without an address: one sentence that says what to do. */
  hint?: string
  /** The same for every requested song, by its MID. */
  playUrl: Record<string, PlayUrl>
}

/** Play address of a song, or why there is none. */
export type PlayUrl = {
  /** Address of the file, valid for some hours and bound to the requesting account; "" when there is none, and reason says why. */
  url: string
  /** Bytes of the file; 0 without an address, or when unknown. */
  size: number
  /** Actual quality of the address; "" without one. */
  quality: '128' | 'm4a' | '320' | 'ape' | 'flac' | 'hires' | 'aac24' | 'aac48' | 'aac192' | 'ogg96' | 'ogg192' | 'ogg320' | 'ogg640' | 'master' | 'trial' | ''
  /** Qualities of the song's files, best first, whether or not the account may use them; absent when unknown. */
  availableQualities?: FileQuality[]
  /** Only without an address. NO_COOKIE: needs a login. COOKIE_EXPIRED: log in again. PAID: needs a subscription or a purchase. NO_SUCH_QUALITY: the song has no such file. NOT_FOUND: no such song or file. REGION: not offered where the relay runs. RISK_CONTROL: the upstream suspects a robot. UNKNOWN: none of these. */
  reason?: PlayReason
  /** Only without an address: one sentence that says what to do. */
  hint?: string
}

/** A song in detail; its MID is at songinfo.data.track_info.mid. */
export type SongInfo = {
  /** Details of the song from the upstream. */
  songinfo: {
    /** 0 = success. */
    code: 0
    /** The song and further details. */
    data: {
      /** A song. Missing numbers are 0, missing texts "". */
      track_info: Song
      /** Company, genre, introduction, language, day of publication; unknown ones are absent. */
      info: {
        /** One line of the information about a song. */
        company?: SongInfoBlock
        /** One line of the information about a song. */
        genre?: SongInfoBlock
        /** One line of the information about a song. */
        intro?: SongInfoBlock
        /** One line of the information about a song. */
        lan?: SongInfoBlock
        /** One line of the information about a song. */
        pub_time?: SongInfoBlock
      }
      /** Other texts about the song. */
      extras: {
        /** Title as the upstream spells it here; "" when unknown. */
        name: string
        /** Translated title; "" when there is none. */
        transname: string
        /** Subtitle; "" when there is none. */
        subtitle: string
        /** Source, such as a film; "" when unknown. */
        from: string
        /** Address of an article; "" when there is none. */
        wikiurl: string
      }
    }
  }
}

/** One line of the information about a song. */
export type SongInfoBlock = {
  /** Label, in the upstream's words. */
  title: string
  /** Its values. */
  values: string[]
}

/** Replaces a song that could not be fetched; the others are not affected. */
export type SongInfoFailure = {
  /** One sentence for people. */
  error: string
  /** For programs: the code that the endpoint for a single item would return. */
  code: ErrorCode
  /** The requested MID; "" if only a number was sent. */
  song_mid: string
}

/** The singer or album that the words name exactly, or null. */
export type DirectHit = {
  /** Type of the direct hit. */
  type: 'singer' | 'album'
  /** A singer that a search found. */
  singer?: FoundSinger
  /** An album that a search found. */
  album?: FoundAlbum
} | null

/** An album that a search found. */
export type FoundAlbum = {
  /** Number of the album; 0 when unknown. */
  albumID: number
  /** MID of the album; "" when unknown. */
  albumMID: string
  /** Name. */
  albumName: string
  /** Address of its picture; "" when there is none. */
  albumPic: string
  /** Day of publication, YYYY-MM-DD; "" when unknown. */
  publicTime: string
  /** Number of its first singer; 0 when unknown. */
  singerID: number
  /** MID of its first singer; "" when unknown. */
  singerMID: string
  /** Its singers, joined by "/". */
  singerName: string
  /** Number of songs; 0 when unknown. */
  song_count: number
}

/** A singer that a search found. */
export type FoundSinger = {
  /** Number of the singer; 0 when unknown. */
  singerID: number
  /** MID of the singer; "" when unknown. */
  singerMID: string
  /** Name. */
  singerName: string
  /** Address of a picture; "" when there is none. */
  singerPic: string
  /** Number of songs; 0 when unknown. */
  songNum: number
  /** Number of albums; 0 when unknown. */
  albumNum: number
  /** Number of MVs; 0 when unknown. */
  mvNum: number
}

/** A trending keyword. */
export type Hotkey = {
  /** Keyword. */
  k: string
  /** Heat; 0 when unknown. */
  n: number
}

/** Trending searches. */
export type Hotkeys = {
  /** Keywords, hottest first. */
  hotkey: Hotkey[]
}

/** One page of songs, singers and albums. */
export type SearchResult = {
  /** The search words. */
  keyword: string
  /** Songs found. */
  song: {
    /** Songs, best first. */
    list: Song[]
    /** Number of songs on this page. */
    curnum: number
    /** Page, counted from 1. */
    curpage: number
    /** Number of songs as the upstream reports it; it may send fewer. */
    totalnum: number
  }
  /** Singers found. */
  singer: {
    /** Singers, best first. */
    list: FoundSinger[]
    /** Number of singers on this page. */
    curnum: number
    /** Page, counted from 1. */
    curpage: number
    /** Number of singers as the upstream reports it; it may send fewer. */
    totalnum: number
  }
  /** Albums found. */
  album: {
    /** Albums, best first. */
    list: FoundAlbum[]
    /** Number of albums on this page. */
    curnum: number
    /** Page, counted from 1. */
    curpage: number
    /** Number of albums as the upstream reports it; it may send fewer. */
    totalnum: number
  }
  /** The singer or album that the words name exactly, or null. */
  zhida?: DirectHit
}

/** Suggestions while typing. */
export type Smartbox = {
  /** Possible matches. */
  result: {
    /** Songs, usually up to four. */
    songList: SuggestedSong[]
    /** Singers, usually up to two. */
    singerList: SuggestedSinger[]
    /** Albums, usually up to two. */
    albumList: SuggestedAlbum[]
  }
}

/** An album that may match the words. */
export type SuggestedAlbum = {
  /** Number as text. */
  id: string
  /** MID; "" when unknown. */
  mid: string
  /** Name or title. */
  name: string
  /** Singers, as one text; "" when unknown. */
  singer: string
  /** Address of a picture; "" when there is none. */
  pic: string
}

/** A singer that may match the words. */
export type SuggestedSinger = {
  /** Number as text. */
  id: string
  /** MID; "" when unknown. */
  mid: string
  /** Name or title. */
  name: string
  /** Singers, as one text; "" when unknown. */
  singer: string
  /** Address of a picture; "" when there is none. */
  pic: string
}

/** A song that may match the words. */
export type SuggestedSong = {
  /** Number as text. */
  id: string
  /** MID; "" when unknown. */
  mid: string
  /** Name or title. */
  name: string
  /** Singers, as one text; "" when unknown. */
  singer: string
}

/** A song whose lyric contains the words. */
export type FoundLyric = {
  /** A song. Missing numbers are 0, missing texts "". */
  song: Song
  /** The words around the hit, without times; "" when the upstream sends none. */
  text: string
}

/** A playlist that a search found. */
export type FoundPlaylist = {
  /** Playlist id, digits as text; the disstid of /getSongListDetail. */
  dissid: string
  /** Name. */
  dissname: string
  /** Nickname of its creator; "" when unknown. */
  creator: string
  /** Play count; 0 when unknown. */
  listen_num: number
  /** Address of its picture; "" when there is none. */
  imgurl: string
  /** Number of songs; 0 when unknown. */
  songnum: number
}

/** One page of results of one kind. */
export type TypedSearchResult = {
  /** The search words. */
  keyword: string
  /** Kind to search. lyric: songs by words of their lyric. */
  type: SearchType
  /** Number of hits as the upstream reports it; it may send fewer. */
  total: number
  /** Songs of the page, best first; empty with another type. */
  songs: Song[]
  /** Albums of the page, best first; empty with another type. */
  albums: FoundAlbum[]
  /** Singers of the page, best first; empty with another type. */
  singers: FoundSinger[]
  /** Playlists of the page, best first; empty with another type. */
  playlists: FoundPlaylist[]
  /** MVs of the page, best first; empty with another type. */
  mvs: Mv[]
  /** Songs of the page by their lyric, best first; empty with another type. */
  lyrics: FoundLyric[]
}

/** An item with the number. */
export type Candidate = {
  /** Type of the item. */
  type: LinkedType
  /** Number, digits as text: the disstid of a playlist, the topId of a chart. For other kinds "" when only the MID is known. With type "": the requested number. */
  id: string
  /** MID of a song, album or singer, vid of an MV; "" for playlists and charts. */
  mid: string
  /** Its name or title. */
  name: string
}

/** What a link, a number or a MID refers to. */
export type Resolved = {
  /** Type of the item. "": a bare number that several items have, or may have because not every call answered; candidates lists the known ones. */
  type: 'song' | 'album' | 'singer' | 'playlist' | 'chart' | 'mv' | ''
  /** Number, digits as text: the disstid of a playlist, the topId of a chart. For other kinds "" when only the MID is known. With type "": the requested number. */
  id: string
  /** MID of a song, album or singer, vid of an MV; "" for playlists and charts. */
  mid: string
  /** Only with type "": the items with the number, with their names. Otherwise empty. */
  candidates: Candidate[]
}

/** Replaces a page of playlists: why there is none. */
export type FailedCategory = {
  /** One sentence for people. */
  error: string
  /** For programs: the code that the endpoint for a single item would return. */
  code: ErrorCode
  /** The category that failed. */
  categoryId: number
}

/** Replaces a playlist: why there is none. */
export type FailedPlaylist = {
  /** One sentence for people. */
  error: string
  /** For programs: the code that the endpoint for a single item would return. */
  code: ErrorCode
  /** The playlist that failed. */
  disstid: string
}

/** A new album. */
export type NewAlbum = {
  /** Number of the album; 0 when unknown. */
  albumID: number
  /** MID of the album, the albummid of /getAlbumInfo; "" when unknown. */
  albumMID: string
  /** Name. */
  albumName: string
  /** Singers, joined by "/". */
  singerName: string
  /** Day of publication, YYYY-MM-DD; "" when unknown. */
  publicTime: string
  /** Address of its picture; "" when there is none. */
  albumPic: string
}

/** One page of new albums. */
export type NewAlbums = {
  /** Number of new albums in all; 0 when unknown. */
  total: number
  /** Albums of the page, as the upstream orders them. */
  albums: NewAlbum[]
}

/** One element per category, then one per playlist id, in the requested order. An element with `error` failed. */
export type PlaylistBatch = (PlaylistPage | PlaylistDetail | FailedCategory | FailedPlaylist)[]

/** All categories of playlists. */
export type PlaylistCategories = {
  /** Categories in the order of their groups. */
  categories: PlaylistCategory[]
}

/** A category of playlists. */
export type PlaylistCategory = {
  /** Category id, for /getSongLists. */
  id: number
  /** Name. */
  name: string
  /** Name of the group it belongs to, such as language or mood; "" when it has none. */
  group: string
}

/** A playlist with its songs. */
export type PlaylistDetail = {
  /** Playlist id. */
  disstid: string
  /** Name. */
  dissname: string
  /** Description, with newlines; "" when there is none. */
  desc: string
  /** Nickname of its creator; "" when unknown. */
  creator: string
  /** Play count; 0 when unknown. */
  listen_num: number
  /** Address of its picture; "" when there is none. */
  imgurl: string
  /** Number of songs in all. */
  songnum: number
  /** Songs from offset on, at most limit, in the order of the playlist. */
  songlist: PlaylistSong[]
}

/** One page of the playlists of a category. */
export type PlaylistPage = {
  /** The requested category. */
  categoryId: number
  /** Number of playlists in the category; 0 when unknown. */
  sum: number
  /** Playlists of the page; empty beyond the last page and for an unknown category. */
  playlists: PlaylistSummary[]
}

/** A song of a playlist. */
export type PlaylistSong = {
  /** Number of the song; 0 when unknown. */
  songid: number
  /** MID of the song; "" when unknown. */
  songmid: string
  /** Title. */
  songname: string
  /** Singers, joined by "/". */
  singer: string
  /** Number of the album; 0 when unknown. */
  albumid: number
  /** MID of the album; "" when it has none. */
  albummid: string
  /** Name of the album; "" when it has none. */
  albumname: string
  /** Length in seconds; 0 when unknown. */
  interval: number
  /** MID of its media files, the mediaId of /getMusicPlay; "" when unknown. */
  media_mid: string
  /** vid of its MV; "" when there is none. */
  vid: string
}

/** A playlist without its songs. */
export type PlaylistSummary = {
  /** Playlist id, digits as text; the disstid of /getSongListDetail. */
  dissid: string
  /** Name. */
  dissname: string
  /** Nickname of its creator; "" when unknown. */
  creator: string
  /** Play count; 0 when unknown. */
  listen_num: number
  /** Address of its picture; "" when there is none. */
  imgurl: string
}

/** A singer of the list. */
export type ListedSinger = {
  /** Name. */
  singerName: string
  /** MID of the singer. */
  singerMID: string
  /** Address of a picture. */
  singerPic: string
  /** Number of the singer; 0 when unknown. */
  singerId: number
  /** Name in another language; "" when there is none. */
  otherName: string
  /** Country in the upstream's words; "" when unknown (usual). */
  country: string
  /** Number of followers; usually 0, because the list does not contain it (see /getSingerStarNum). */
  concernNum: number
}

/** A similar singer. */
export type SimilarSinger = {
  /** Name. */
  singerName: string
  /** MID of the singer. */
  singerMID: string
  /** Address of a picture. */
  singerPic: string
  /** Number of the singer; 0 when unknown. */
  singerId: number
}

/** Similar singers. */
export type SimilarSingers = {
  /** At most ten, most similar first; empty when the upstream knows none. */
  singers: SimilarSinger[]
}

/** An album of a singer. */
export type SingerAlbum = {
  /** Number of the album; 0 when unknown. */
  albumID: number
  /** MID of the album. */
  albumMid: string
  /** Name. */
  albumName: string
  /** Translated name; "" when there is none. */
  albumTranName: string
  /** Kind (studio album, EP, single …) in the upstream's words; "" when unknown. */
  albumType: string
  /** Day of publication, YYYY-MM-DD; "" when unknown. */
  publishDate: string
  /** Singers as the upstream joins them; "" when unknown. */
  singerName: string
  /** Id of the album picture, for /getImageUrl. */
  pmid: string
  /** Address of the album picture. */
  albumPic: string
}

/** One page of the albums of a singer. */
export type SingerAlbums = {
  /** MID of the singer. */
  singerMid: string
  /** Number of albums of the singer. */
  total: number
  /** Albums of the page. */
  albumList: SingerAlbum[]
}

/** Details of a singer. */
export type SingerDesc = {
  /** Description, lines separated by newlines; "" when the upstream has no text. */
  desc: string
  /** Day of birth (of a group: founding) as the upstream writes it, free text; "" when unknown. */
  birth: string
  /** Place of birth (of a group: founding), free text; "" when unknown. */
  birthPlace: string
  /** MID of the singer. */
  singerMID: string
  /** Name; "" if only the description was available. */
  singerName: string
  /** Address of a picture. */
  singerPic: string
  /** Name in another language; "" when there is none. */
  foreignName: string
  /** All facts, in the upstream's order. */
  basic: SingerFact[]
}

/** One line of the facts about a singer. */
export type SingerFact = {
  /** Label, in the upstream's words; labels differ per singer. */
  key: string
  /** Free text. */
  value: string
}

/** One choice of a filter. */
export type SingerFilter = {
  /** Number to give as the parameter. */
  id: number
  /** What it means, in the upstream's words. */
  name: string
}

/** One page of singers. */
export type SingerList = {
  /** Singers of the page, in the upstream's order. */
  singers: ListedSinger[]
  /** Number of singers that match the filters. */
  total: number
  /** The page, from 1. */
  page: number
  /** Rows per page. */
  limit: number
  /** The filters as the upstream names them today, with the numbers of this endpoint; lists are empty when the upstream sends none. */
  tags: {
    /** Choices of area. */
    area: SingerFilter[]
    /** Choices of sex. */
    sex: SingerFilter[]
    /** Choices of genre. */
    genre: SingerFilter[]
  }
}

/** An MV of a singer. */
export type SingerMv = {
  /** vid of the MV, for /getMvPlay. */
  vid: string
  /** Number of the MV; 0 when unknown. */
  mvid: number
  /** Title. */
  title: string
  /** Address of a picture; "" when there is none. */
  picurl: string
  /** Length in seconds; 0 when unknown. */
  duration: number
  /** Play count; 0 when unknown. */
  playcnt: number
  /** Publication, Unix seconds; 0 when unknown. */
  pubdate: number
}

/** One page of the MVs of a singer. */
export type SingerMvs = {
  /** Number of MVs of the singer. */
  total: number
  /** MVs of the page. */
  list: SingerMv[]
}

/** One page of the songs of a singer. */
export type SingerSongs = {
  /** MID of the singer. */
  singerMid: string
  /** Number of songs of the singer. */
  totalNum: number
  /** Songs of the page, most popular first. */
  songList: Song[]
}

/** Popularity of a singer. */
export type SingerStarNum = {
  /** MID of the singer. */
  singermid: string
  /** Number of followers. */
  num: number
  /** 1 if the account of the cookie follows the singer, 0 if not or if unknown. */
  status: number
}

/** An MV, without its files. */
export type Mv = {
  /** vid of the MV, for /getMvPlay. */
  vid: string
  /** Number of the MV; 0 when unknown. /getMvPlay does not take it. */
  mvid: number
  /** Title. */
  title: string
  /** Subtitle; "" when there is none. */
  subtitle: string
  /** Singers, main one first. */
  singers: MvSinger[]
  /** Address of a picture; "" when there is none. */
  picurl: string
  /** Play count; 0 when unknown. */
  playcnt: number
  /** Publication, Unix seconds; 0 when unknown. */
  pubdate: number
  /** Length in seconds; 0 when unknown. */
  duration: number
}

/** A file of an MV. */
export type MvFile = {
  /** Definition: 10 = 360p, 20 = 480p, 30 = 720p, 40 = 1080p, higher = more; 0 when unknown. */
  filetype: number
  /** mp4: one file. hls: a playlist of pieces (m3u8). */
  type: 'mp4' | 'hls'
  /** Coding: 264 = H.264, 265 = HEVC; 0 when unknown. */
  format: number
  /** Bytes; 0 when unknown. */
  fileSize: number
  /** How long the addresses are valid, in seconds; 0 when unknown. */
  expire: number
  /** Mirrors of the file. */
  url: string[]
}

/** Details of an MV. */
export type MvInfo = {
  /** vid. */
  vid: string
  /** Title. */
  name: string
  /** Description, with newlines; "" when there is none. */
  desc: string
  /** Address of a picture; "" when there is none. */
  cover_pic: string
  /** Length in seconds; 0 when unknown. */
  duration: number
  /** Singers, main one first. */
  singers: MvSinger[]
  /** Play count; 0 when unknown. */
  playcnt: number
  /** Publication, Unix seconds; 0 when unknown. */
  pubdate: number
}

/** Play addresses of an MV. mvinfo is absent when the upstream does not give it. */
export type MvPlay = {
  /** The requested vid. */
  vid: string
  /** Play addresses by definition: mp4 before hls, mirrors of one file together. No address is repeated. */
  playLists: MvPlayLists
  /** The same addresses by file, with details of each file. */
  urls: MvFile[]
  /** Details of an MV. */
  mvinfo?: MvInfo
  /** Why there is no address; absent when there is one. NO_COOKIE: needs a login. PAID: not with this account. NO_SUCH_QUALITY: there is no file. UNKNOWN: the upstream gives no reason. */
  reason?: 'NO_COOKIE' | 'PAID' | 'NO_SUCH_QUALITY' | 'UNKNOWN'
  /** The reason as a sentence. */
  hint?: string
}

/** Play addresses by definition: mp4 before hls, mirrors of one file together. No address is repeated. */
export type MvPlayLists = {
  /** Addresses of the files in 360p; empty when there is none. */
  f10: string[]
  /** Addresses of the files in 480p; empty when there is none. */
  f20: string[]
  /** Addresses of the files in 720p; empty when there is none. */
  f30: string[]
  /** Addresses of the files in 1080p; empty when there is none. */
  f40: string[]
  /** Addresses of the files in any other definition, or an unknown one; empty when there is none. */
  others: string[]
}

/** A singer of an MV. */
export type MvSinger = {
  /** Number of the singer; 0 when unknown. */
  id: number
  /** MID of the singer; "" when unknown. */
  mid: string
  /** Name. */
  name: string
  /** Address of a picture; "" when unknown. */
  picurl: string
}

/** An area or a kind of MVs; id and name may both be the tag of /getMvByTag. */
export type MvTag = {
  /** Id. */
  id: number
  /** Name, in Chinese. */
  name: string
}

/** One page of MVs of an area and a kind. */
export type Mvs = {
  /** Number of MVs; the upstream counts up to 1000. */
  total: number
  /** MVs of the page, hottest first. */
  list: Mv[]
  /** Values of area_id; empty when the upstream does not send them. */
  area: MvTag[]
  /** Values of version_id; empty when the upstream does not send them. */
  version: MvTag[]
}

/** One page of the MVs of a tag. */
export type TaggedMvs = {
  /** The requested tag. */
  tag: string
  /** Number of MVs. */
  total: number
  /** MVs of the page; empty when there are none. */
  list: Mv[]
}

/** Address of a cover. */
export type Cover = {
  /** Address of the picture. It is built without an upstream call, so the picture may not exist. */
  url: string
}

/** An album for sale as a download. */
export type DigitalAlbum = {
  /** Number of the album; 0 when unknown. */
  album_id: number
  /** MID of the album, the albummid of /getAlbumInfo; "" when unknown. */
  album_mid: string
  /** Name. */
  album_name: string
  /** Number of the singer; 0 when unknown. */
  singer_id: number
  /** MID of the singer; "" when unknown. */
  singer_mid: string
  /** Singers, as one text. */
  singer_name: string
  /** Price in hundredths of a yuan: 1500 is 15.00. */
  price: number
  /** Current price, in hundredths of a yuan; the same as price without a discount. */
  dis_price: number
  /** Publication, Unix seconds; 0 when unknown. */
  publictime: number
  /** Number sold; 0 when unknown. */
  salecount: number
  /** Record company; "" when unknown. */
  company_name: string
  /** One line about it; "" when there is none. */
  intro: string
  /** Address of the provider's page that sells it; "" when unknown. */
  buypage: string
  /** Address of its picture; "" when unknown. */
  albumPic: string
  /** First section of the shop with this album; "" when unknown. */
  group: string
}

/** An album at the top of the shop. */
export type DigitalAlbumBanner = {
  /** Number of the album; 0 when unknown. */
  album_id: number
  /** Name. */
  album_name: string
  /** Address of the picture. */
  picurl: string
  /** Address of the provider's page that sells it; "" when unknown. */
  jumpurl: string
  /** Price in hundredths of a yuan. */
  price: number
  /** One line about it; "" when there is none. */
  intro: string
}

/** One page of the albums for sale. */
export type DigitalAlbums = {
  /** Number of albums in all. */
  total: number
  /** Albums of the page, in the order of the sections; no album twice. */
  albums: DigitalAlbum[]
  /** Albums at the top of the shop, the same on every page. */
  banner: DigitalAlbumBanner[]
}

/** A picture at the top of the home page. */
export type FocusPicture = {
  /** Number of the picture; 0 when unknown. */
  id: number
  /** Type of the target: 10002 an album, 10014 a playlist, 10005 a chart, others a page; 0 when unknown. */
  type: number
  /** Title; "" when there is none. */
  title: string
  /** Subtitle; "" when there is none. */
  subTitle: string
  /** Address of the picture. */
  picUrl: string
  /** The target: the MID of the album for type 10002, otherwise usually an address; "" when unknown. */
  jumpUrl: string
}

/** A chart on the home page. */
export type HomeChart = {
  /** Chart id, the topId of /getRanks. */
  id: number
  /** Chart name. */
  name: string
  /** Address of its picture; "" when there is none. */
  picUrl: string
  /** Issue: a day (YYYY-MM-DD) or a week (YYYY_W); "" when unknown. */
  period: string
}

/** A category of playlists on the home page. */
export type HotCategory = {
  /** Number of the category, the categoryId of /getSongLists. */
  id: number
  /** Name. */
  name: string
}

/** Address of a picture. */
export type ImageUrl = {
  /** Address of the picture. It is built without an upstream call, so the picture may not exist. */
  imageUrl: string
}

/** A radio station. */
export type Radio = {
  /** Number of the station. 99 is the personal one, 199 hot songs, 101 new songs. */
  radioId: number
  /** Name. */
  radioName: string
  /** Address of its picture; "" when there is none. */
  radioImg: string
  /** Number of listeners; 0 when unknown. */
  listenNum: number
}

/** Some radio stations. */
export type RadioGroup = {
  /** Name of the group. */
  name: string
  /** Stations; never empty. */
  radios: Radio[]
}

/** All radio stations. */
export type Radios = {
  /** Groups with their stations. */
  groups: RadioGroup[]
}

/** The parts of the home page. */
export type Recommend = {
  /** Pictures at the top. Empty when the upstream does not give this part. */
  focus: FocusPicture[]
  /** Categories of these playlists. Empty when the upstream does not give this part. */
  categories: HotCategory[]
  /** Playlists that the upstream recommends. Empty when the upstream does not give this part. */
  recomPlaylists: PlaylistSummary[]
  /** Playlists of the playlist square, the same for everybody. Empty when the upstream does not give this part. */
  playlists: PlaylistSummary[]
  /** New songs. Empty when the upstream does not give this part. */
  newSongs: Song[]
  /** New albums, ten at most. Empty when the upstream does not give this part. */
  newAlbums: NewAlbum[]
  /** Charts. Empty when the upstream does not give this part. */
  toplists: HomeChart[]
}

/** The ticket shop. Its rows are returned as the upstream sends them, because they are not documented. The shop has been dead since 2019, so everything is empty. */
export type TicketInfo = {
  /** Cities with shows. */
  cities: Record<string, unknown>[]
  /** Cities that many ask for. */
  hotCities: Record<string, unknown>[]
  /** The city that the upstream takes the relay to be in; absent when it names none. */
  localCity?: Record<string, unknown>
  /** Pictures at the top. */
  banners: Record<string, unknown>[]
  /** Kinds of shows. */
  classes: Record<string, unknown>[]
  /** Shows. */
  shows: Record<string, unknown>[]
  /** Filters of shows. */
  tags: Record<string, unknown>
  /** The upstream's clock, Unix seconds; 0 when unknown. */
  timestamp: number
}

/** The songs that the upstream chose for an account today. */
export type DailyRecommend = {
  /** Id of today's playlist, for /getSongListDetail with the same cookie; "" if there is none, as for the songs of the personal radio station. */
  dissid: string
  /** Its name; "" without a playlist. */
  dissname: string
  /** Its songs, usually thirty. */
  songs: Song[]
}

/** Songs and playlists that the upstream recommends to an account. */
export type PersonalRecommend = {
  /** Songs, usually ten; others at the next call. */
  songs: Song[]
  /** Whether the upstream has more to recommend. */
  hasMore: boolean
  /** Playlists; their creator is often unknown. Empty when the upstream shows none. */
  playlists: PlaylistSummary[]
}

/** Similar songs. */
export type SimilarSongs = {
  /** Number of the requested song. */
  songid: number
  /** MID of the requested song. */
  songmid: string
  /** Songs like it, no song twice; empty when the upstream knows none. */
  songs: Song[]
}

/** The next songs of a station. */
export type RadioSongs = {
  /** New songs of this session; fewer than limit when the upstream sends no more new ones. */
  songs: Song[]
  /** Pass it as cursor for more songs. Absent when the upstream has only repetitions: begin again without a cursor. */
  nextCursor?: string
}

/** Other versions of a song: live, covers, remixes. */
export type OtherVersions = {
  /** MID of the requested song. */
  songmid: string
  /** At most ten; empty when there are none. */
  versions: SongVersion[]
}

/** MVs related to a song. */
export type RelatedMvs = {
  /** Number of the requested song. */
  songid: number
  /** MID of the requested song. */
  songmid: string
  /** MVs, usually three. Their length is unknown (0). */
  list: Mv[]
  /** Pass it as cursor for more; absent when there are no more. */
  nextCursor?: string
}

/** Playlists related to a song. */
export type RelatedPlaylists = {
  /** Number of the requested song. */
  songid: number
  /** MID of the requested song. */
  songmid: string
  /** Playlists: some ten in the first answer, usually three in each further one. */
  playlists: PlaylistSummary[]
  /** Pass it as cursor for more; absent when there are no more. */
  nextCursor?: string
}

/** One page of the songs that a singer sang, wrote or made. */
export type SingerTab = {
  /** MID of the requested singer. */
  singerMid: string
  /** The requested tab. */
  tab: string
  /** Whether there is a next page. */
  hasMore: boolean
  /** Songs of the page; empty when there are none. */
  songs: Song[]
}

/** Another version of a song. */
export type SongVersion = {
  /** Kind of version, in the upstream's words; "" when unknown. */
  tag: string
  /** A song. Missing numbers are 0, missing texts "". */
  song: Song
}

/** A comment. */
export type Comment = {
  /** Id of the comment; of a reply, the id of the comment it belongs to. */
  rootcommentid: string
  /** Id of this row; the same as rootcommentid unless the row is a reply. */
  commentid: string
  /** Text. Emoji of the upstream's own are left as codes: [em]e400846[/em]. */
  content: string
  /** Name of the author. */
  nick: string
  /** Address of their picture; "" when there is none. */
  avatarurl: string
  /** Number of likes; 0 when unknown. */
  praisenum: number
  /** Unix seconds; 0 when unknown. */
  time: number
  /** Sequence number, digits beyond 2^53 as text; "" from the classic lists. */
  seqNo: string
  /** Number of replies; the list replies may have fewer. */
  replynum: number
  /** Replies sent with the comment. */
  replies: CommentReply[]
}

/** Comments and their number. */
export type CommentList = {
  /** Comments in the requested order; those without text (pictures only) are omitted, so a page can have fewer than pagesize. */
  list: Comment[]
  /** Total number, including comments without text. */
  total: number
}

/** A reply to a comment. */
export type CommentReply = {
  /** Id of the reply; "" when unknown. */
  commentid: string
  /** Text. */
  content: string
  /** Name of the author. */
  nick: string
  /** Number of likes; 0 when unknown. */
  praisenum: number
  /** Unix seconds; 0 when unknown. */
  time: number
}

/** One page of comments; hot_comment has popular ones that the upstream sends with the first page, usually none. */
export type Comments = {
  /** Comments and their number. */
  comment: CommentList
  /** Comments and their number. */
  hot_comment: CommentList
  /** Whether there is a next page. Also true if this page is short or empty because its rows have no text. */
  morecomment: boolean
  /** Pass it as cursor for the next page; absent on the last page and with rootcommentid. */
  nextCursor?: string
}

/** An album that an account collected. */
export type CollectedAlbum = {
  /** Number of the album; 0 when unknown. */
  albumID: number
  /** MID of the album; "" when unknown. */
  albumMID: string
  /** Name. */
  albumName: string
  /** Address of its picture; "" when there is none. */
  albumPic: string
  /** Day of publication, YYYY-MM-DD; "" when unknown. */
  publicTime: string
  /** Number of its first singer; 0 when unknown. */
  singerID: number
  /** MID of its first singer; "" when unknown. */
  singerMID: string
  /** Its singers, joined by "/". */
  singerName: string
  /** Number of songs; 0 when unknown. */
  song_count: number
  /** When the account collected it, Unix seconds; 0 when unknown. */
  time: number
}

/** One page of the albums that an account collected. */
export type CollectedAlbums = {
  /** Number of collected albums in all. */
  total: number
  /** Whether there are collected albums after this page. */
  hasMore: boolean
  /** The albums of the page, as the upstream orders them. */
  albums: CollectedAlbum[]
}

/** A playlist of another user that an account collected. */
export type CollectedPlaylist = {
  /** Id of the playlist, for /getSongListDetail. */
  dissid: string
  /** Name. */
  dissname: string
  /** Nickname of its creator; "" when unknown. */
  creator: string
  /** Number of songs; 0 when unknown. */
  songnum: number
  /** Address of its picture; "" when there is none. */
  picurl: string
  /** When the account collected it, Unix seconds; 0 when unknown. */
  time: number
}

/** One page of the playlists that an account collected. */
export type CollectedPlaylists = {
  /** Number of collected playlists in all. */
  total: number
  /** Whether there are collected playlists after this page. */
  hasMore: boolean
  /** The playlists of the page, as the upstream orders them. */
  playlists: CollectedPlaylist[]
}

/** The cookie that this request uses, in the names of this interface. Values of the global cookie show as *** unless exposeGlobalCookie is on. */
export type CookieInfo = {
  /** 200 = success. */
  code: 200
  /** The cookie as text, pairs separated by "; "; "" without a cookie. */
  cookie: string
  /** The pairs, each name=value. */
  cookieList: string[]
  /** The pairs by name. */
  cookieObject: Record<string, string>
}

/** A singer that an account follows. */
export type FollowedSinger = {
  /** Name. */
  singerName: string
  /** MID of the singer. */
  singerMID: string
  /** Address of a picture; "" when there is none. */
  singerPic: string
  /** Number of followers; 0 when unknown. */
  concernNum: number
}

/** One page of the singers that an account follows. */
export type FollowedSingers = {
  /** Number of followed singers in all. */
  total: number
  /** Whether there are followed singers after this page. */
  hasMore: boolean
  /** The singers of the page, as the upstream orders them. */
  singers: FollowedSinger[]
}

/** One page of the songs that an account likes. */
export type LikedSongs = {
  /** Number of liked songs in all. */
  total: number
  /** Whether there are songs after this page. */
  hasMore: boolean
  /** The songs of the page, latest first. */
  songs: Song[]
}

/** Address of an account's picture. */
export type UserAvatar = {
  /** Address of the picture. It is built without an upstream call; for an unknown account it shows a silhouette. */
  avatarUrl: string
  /** ok */
  message: string
}

/** A playlist that an account made. */
export type UserPlaylist = {
  /** Id of the playlist, for /getSongListDetail. */
  dissid: string
  /** Name. */
  dissname: string
  /** Number of the folder within the account: 201 is the liked songs; 0 when unknown. */
  dirid: number
  /** Number of songs; 0 when unknown. */
  songnum: number
  /** Address of its picture; "" when there is none. */
  picurl: string
}

/** Playlists that an account made, including its liked songs. */
export type UserPlaylists = {
  /** The rows from offset on, at most limit of them. */
  playlists: UserPlaylist[]
  /** Number of playlists in all. */
  total: number
}

/** The login of a request: its account, whether it is valid, and its subscription. */
export type AccountState = {
  /** Whether the upstream accepts the login. false: log in again. */
  alive: boolean
  /** Name of the stored account in use, "default" for the global login; "" for the cookie of the request. */
  account: string
  /** Account number, digits. "" for the global login unless exposeGlobalCookie is on. */
  uin: string
  /** Name that the account shows to others; "" in the same cases as uin, or if the login is not valid. */
  nickname: string
  /** Address of its picture; "" in the same cases as nickname, or if there is none. */
  picture: string
  /** The subscription of an account; null if the upstream does not send it, or if the login is not valid. */
  vip: Vip
  /** When the login expires unless it is renewed, Unix seconds. null when unknown: it is known for stored logins only. */
  until: number | null
}

/** The subscription of an account; null if the upstream does not send it, or if the login is not valid. */
export type Vip = {
  /** Whether the account has a subscription of any kind. */
  member: boolean
  /** Whether it is the larger subscription. */
  luxury: boolean
  /** Level of the subscription; 0 without one, or when unknown. */
  level: number
  /** Last day of the larger subscription in China, YYYY-MM-DD; "" without one, or when unknown. */
  until: string
} | null

/** State of an alternative QR login. */
export type AltLoginCheck = {
  /** 408 nobody scanned within the time of one call (ask again), 404 scanned and waiting for the confirmation (ask again), 405 confirmed, 402 expired, 403 cancelled on the phone (402 and 403: get a new QR code). */
  errcode: number
  /** true: logged in, session is present. */
  isOk: boolean
  /** The state as a word. With errcode 408 it is "scanned" if an earlier call reported that. */
  status: 'waiting' | 'scanned' | 'confirmed' | 'expired' | 'cancelled'
  /** What happened and what to do, in one sentence. */
  message: string
  /** true: this QR code can no longer be used, get a new one. Present with errcode 402 and 403. */
  refresh?: boolean
  /** The result of a login; present when isOk is true. */
  session?: LoginSession
}

/** A QR code of the alternative channel. */
export type AltLoginQr = {
  /** The QR code as a data URL (data:image/…;base64,…): show it and scan it with the provider's app. */
  img: string
  /** Session of this QR code; store it and send it to the check. */
  uuid: string
}

/** The result of a login; present when isOk is true. */
export type LoginSession = {
  /** The account: "o" followed by its number, without padding. */
  loginUin: string
  /** The same. */
  uin: string
  /** Cookie text, pairs separated by "; ": pass it as ?cookie= or X-Custom-Cookie. Treat it like a password. */
  cookie: string
  /** The pairs, each name=value. */
  cookieList: string[]
  /** The pairs by name: uin, provider_key, provider_keyst, euin (when the upstream gives one), providerLoginType (1 alternative channel, 2 main channel). */
  cookieObject: Record<string, string>
}

/** State of a main QR login. */
export type MainLoginCheck = {
  /** true: logged in, session is present. false: not yet, or expired; see status. */
  isOk: boolean
  /** What happened and what to do, in one sentence. */
  message: string
  /** waiting: nobody scanned yet, ask again in two seconds. scanned: waits for the confirmation on the phone, ask again. expired, refused: get a new QR code. Absent after success. */
  status?: 'waiting' | 'scanned' | 'expired' | 'refused'
  /** true: this QR code can no longer be used, get a new one. Absent after success. */
  refresh?: boolean
  /** The failure in one sentence; present when the QR code is expired or the login was refused on the phone. */
  error?: string
  /** The result of a login; present when isOk is true. */
  session?: LoginSession
}

/** A QR code of the main channel, valid for about two minutes. */
export type MainLoginQr = {
  /** The QR code as a data URL (data:image/…;base64,…): show it and scan it with the provider's app. */
  img: string
  /** Signature of this QR code; store it and send it to the check. */
  qrsig: string
  /** Check value of qrsig, decimal digits. The relay computes it itself, so sending it back is optional. */
  ptqrtoken: string
}

/**
 * Why a call failed. The list is closed; in parentheses the HTTP status:
 * - `INVALID_INPUT` (400): A parameter or body field is invalid; the sentence names it and the allowed values.
 * - `INVALID_JSON` (400): The body is not JSON.
 * - `LOGIN_REQUIRED` (401): The endpoint needs a cookie with key and account.
 * - `TOKEN_REQUIRED` (401): The request needs the access token of the relay.
 * - `LINK_INVALID` (401): The relay did not sign this link, or it was changed.
 * - `KEY_LIMITED` (403): The key of a stored account may not use this endpoint.
 * - `CROSS_SITE` (403): A page of another site used the browser's or the global cookie, or tried to log in.
 * - `HOST_NOT_ALLOWED` (403): The Host header names a host that this relay does not serve.
 * - `ROUTE_NOT_FOUND` (404): No such route.
 * - `NOT_FOUND` (404): According to the upstream, the item does not exist.
 * - `NOT_PLAYABLE` (404): The song has no address for this caller; reason and hint of the body say why.
 * - `METHOD_NOT_ALLOWED` (405): The path exists, with another method; see the Allow header.
 * - `BODY_TOO_LARGE` (413): The body is too large.
 * - `URL_TOO_LONG` (414): The address, or a part of its path, is too long.
 * - `UNSUPPORTED_TYPE` (415): Bodies must be application/json.
 * - `RANGE_NOT_SATISFIABLE` (416): The file is shorter than the requested range.
 * - `EXPECTATION_FAILED` (417): The relay does not support the value of the Expect header.
 * - `RATE_LIMITED` (429): Too many requests from this client, or too many upstream calls for them; see Retry-After.
 * - `HEADERS_TOO_LARGE` (431): The request headers are too large.
 * - `INTERNAL` (500): A bug of the relay.
 * - `UPSTREAM_UNREACHABLE` (502): The upstream could not be reached, or broke the connection.
 * - `UPSTREAM_UNREADABLE` (502): The answer of the upstream cannot be read.
 * - `UPSTREAM_REFUSED` (502): The upstream refused, with a code of its own.
 * - `UPSTREAM_EMPTY` (502): The upstream answered without the data.
 * - `COOKIE_REJECTED` (502): The upstream does not accept the cookie: expired or invalid.
 * - `QR_UNAVAILABLE` (502): The upstream sent no QR code.
 * - `LOGIN_SIGN_URL` (502): Login: cannot extract checkSigUrl.
 * - `LOGIN_P_SKEY` (502): Login: cannot extract p_skey.
 * - `LOGIN_NO_REDIRECT` (502): Login: the authorisation response lacks the redirect address.
 * - `LOGIN_NO_CODE` (502): Login: the authorisation redirect lacks the code.
 * - `LOGIN_REFUSED` (502): Login: the upstream refused, or sent no usable key.
 * - `OVERLOADED` (503): The relay is at its limit; see Retry-After.
 * - `UPSTREAM_PAUSED` (503): The upstream asked the relay to wait, or fails too often; see Retry-After.
 * - `STOPPING` (503): The relay is stopping; see Retry-After.
 * - `UPSTREAM_TIMEOUT` (504): The upstream did not answer in time.
 * - `LOGIN_TIMEOUT` (504): Login: the upstream did not answer in time.
 */
export type ErrorCode = 'INVALID_INPUT' | 'INVALID_JSON' | 'LOGIN_REQUIRED' | 'TOKEN_REQUIRED' | 'LINK_INVALID' | 'KEY_LIMITED' | 'CROSS_SITE' | 'HOST_NOT_ALLOWED' | 'ROUTE_NOT_FOUND' | 'NOT_FOUND' | 'NOT_PLAYABLE' | 'METHOD_NOT_ALLOWED' | 'BODY_TOO_LARGE' | 'URL_TOO_LONG' | 'UNSUPPORTED_TYPE' | 'RANGE_NOT_SATISFIABLE' | 'EXPECTATION_FAILED' | 'RATE_LIMITED' | 'HEADERS_TOO_LARGE' | 'INTERNAL' | 'UPSTREAM_UNREACHABLE' | 'UPSTREAM_UNREADABLE' | 'UPSTREAM_REFUSED' | 'UPSTREAM_EMPTY' | 'COOKIE_REJECTED' | 'QR_UNAVAILABLE' | 'LOGIN_SIGN_URL' | 'LOGIN_P_SKEY' | 'LOGIN_NO_REDIRECT' | 'LOGIN_NO_CODE' | 'LOGIN_REFUSED' | 'OVERLOADED' | 'UPSTREAM_PAUSED' | 'STOPPING' | 'UPSTREAM_TIMEOUT' | 'LOGIN_TIMEOUT'

/** Only without an address. NO_COOKIE: needs a login. COOKIE_EXPIRED: log in again. PAID: needs a subscription or a purchase. NO_SUCH_QUALITY: the song has no such file. NOT_FOUND: no such song or file. REGION: not offered where the relay runs. RISK_CONTROL: the upstream suspects a robot. UNKNOWN: none of these. */
export type PlayReason = 'NO_COOKIE' | 'COOKIE_EXPIRED' | 'PAID' | 'NO_SUCH_QUALITY' | 'NOT_FOUND' | 'REGION' | 'RISK_CONTROL' | 'UNKNOWN'

/** Actual quality of the file. */
export type FileQuality = '128' | 'm4a' | '320' | 'ape' | 'flac' | 'hires' | 'aac24' | 'aac48' | 'aac192' | 'ogg96' | 'ogg192' | 'ogg320' | 'ogg640' | 'master' | 'trial'

/** Kind to search. lyric: songs by words of their lyric. */
export type SearchType = 'song' | 'album' | 'singer' | 'playlist' | 'mv' | 'lyric'

/** Type of the item. */
export type LinkedType = 'song' | 'album' | 'singer' | 'playlist' | 'chart' | 'mv'

/** 128 (MP3, the default), 320 (MP3), m4a (AAC, about 96 kbit/s), aac24, aac48, aac192, ogg96, ogg192, ogg320, ogg640 (kbit/s), flac, ape, hires, master (lossless), trial (a short part of a song that costs), or best: the best the account may have. */
export type Quality = '128' | 'm4a' | '320' | 'ape' | 'flac' | 'hires' | 'aac24' | 'aac48' | 'aac192' | 'ogg96' | 'ogg192' | 'ogg320' | 'ogg640' | 'master' | 'trial' | 'best'

/** The settings. docs/configuration.md says how a file and the environment set them. */
export type ServiceConfig = {
  /**
   * Requests may send their own cookie: query parameter, X-Custom-Cookie or Cookie header.
   * @default true
   */
  fallbackMode: boolean
  /**
   * Requests without their own cookie use the cookie of user-info.json.
   * @default false
   */
  useGlobalCookie: boolean
  /**
   * Name of the query parameter that carries a cookie. No environment variable.
   * @default 'cookie'
   */
  cookieParamName: string
  /**
   * Endpoints that use the global cookie: all, or only those for which the reference says Login.
   * @default 'all'
   */
  globalCookieScope: 'all' | 'login'
  /**
   * /user/getCookie shows the values of the global cookie, not only its names.
   * @default false
   */
  exposeGlobalCookie: boolean
  /**
   * Address to listen on. The default serves this machine only; 0.0.0.0 serves other machines too.
   * @default 'localhost'
   */
  host: string
  /**
   * Port to listen on. 0: any free port.
   * @default 3200
   */
  port: number
  /**
   * Minimum log level.
   * @default 'info'
   */
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /**
   * Swagger UI at /docs, with the OpenAPI document at /docs/json and /docs/yaml.
   * @default true
   */
  docs: boolean
  /**
   * The pages / (status and a panel to try the API), /login (QR login in a browser) and /guide (this documentation, where it is built in).
   * @default true
   */
  pages: boolean
  /**
   * Prometheus metrics at /metrics. Needs the package prom-client.
   * @default false
   */
  metrics: boolean
  /**
   * Metrics name the stored accounts: music_relay_account_expires_seconds has the label account. Everybody who can read /metrics then sees the names.
   * @default false
   */
  metricsAccountNames: boolean
  /**
   * The Meting API at /meting, for the music widgets of blogs. It needs no access token: lists are open, and the links in them are signed. See docs/meting.md.
   * @default false
   */
  meting: boolean
  /**
   * Password for OpenSubsonic players at /rest, with any user name that is not a stored account. They use the login of user-info.json. Stored accounts use their secrets instead. Empty: stored accounts only. See docs/players.md.
   * @default ''
   */
  subsonicPassword: string
  /**
   * Token that every request except health checks must send: as Authorization: Bearer, or as the password of Basic. Printable ASCII. Empty: no token.
   * @default ''
   */
  accessToken: string
  /**
   * Allows useGlobalCookie on a public address without accessToken. Everybody who can reach the relay then uses that account.
   * @default false
   */
  allowPublicGlobalCookie: boolean
  /**
   * Allowed host names of requests, besides loopback names. A name without a port allows all ports. Empty: any name, or only loopback names if host is a loopback address. Comma-separated in the environment.
   * @default []
   */
  allowedHosts: string[]
  /**
   * Web origins that may use the Cookie header and the global cookie. Pages of other origins can read public answers and send a cookie themselves. Comma-separated in the environment.
   * @default []
   */
  corsOrigins: string[]
  /**
   * Addresses or networks of proxies whose X-Forwarded-For is trusted. Comma-separated in the environment.
   * @default []
   */
  trustProxy: string[]
  /**
   * Public address of the relay, with the path if a proxy serves it under one: https://music.example/relay. Links in answers begin with it. Empty: the Host of the request, with the protocol that a proxy of TRUST_PROXY reports.
   * @default ''
   */
  publicOrigin: string
  /**
   * Origin that replaces all upstream hosts, with the Host header unchanged: a mirror, a recorder or the demo upstream. http only on loopback. Stored logins are renewed there; a refusal counts for this origin only. Empty: the real hosts.
   * @default ''
   */
  upstreamOrigin: string
  /**
   * Proxies through which the relay reaches the upstream: http://, https:// or socks5://, with user:password@ if needed. A list: PROXY for all hosts, HOST=PROXY for one host (or for all subdomains, if the name begins with a dot), HOST=direct for no proxy. HTTP_PROXY and the like are ignored. Empty: none. See docs/running-in-public.md. Comma-separated in the environment.
   * @default []
   */
  upstreamProxy: string[]
  /**
   * Answer of /stream. redirect: a redirect to the provider's file. relay: the file itself, through the relay; needed by web pages that process sound, and by players that do not follow redirects.
   * @default 'redirect'
   */
  stream: 'redirect' | 'relay'
  /**
   * Origin of picture addresses in answers. Empty: the real one.
   * @default ''
   */
  imageOrigin: string
  /**
   * Stored logins are renewed before their key expires.
   * @default true
   */
  renewLogins: boolean
  /**
   * Secret that encrypts the files in the folder accounts. If it is lost, they cannot be read: remove the accounts and log in again. At least 16 characters. Empty: they are not encrypted.
   * @default ''
   */
  accountsSecret: string
  /**
   * Time limit for all upstream calls of one request together. Milliseconds.
   * @default 8000
   */
  deadlineMs: number
  /**
   * Maximum number of concurrent upstream requests, half of it for one host; one client gets half. With too many, the upstream may block your address.
   * @default 64
   */
  upstreamLimit: number
  /**
   * Average number of requests per second to one upstream host; further ones wait. A burst may be four seconds' worth, half of it for one client. 0: no limit.
   * @default 50
   */
  upstreamRatePerHost: number
  /**
   * Maximum size of an upstream answer, compressed and decompressed. Bytes.
   * @default 4194304
   */
  maxAnswerBytes: number
  /**
   * Answers are cached in memory. Answers to requests with their own cookie are never cached.
   * @default true
   */
  cache: boolean
  /**
   * Maximum memory for cached answers, one entry for each 13 KB. Answers above 1 MB are not cached. Bytes.
   * @default 67108864
   */
  cacheBytes: number
  /**
   * Valkey or Redis in which several instances share cached answers and rate limits. The text must be identical in all instances. Needs the package iovalkey. Empty: none.
   * @default ''
   */
  redisUrl: string
  /**
   * Secret of the instances that share a store, the same in all of them. It signs entries, and hides client addresses. Empty: redisUrl is used instead, but the store itself knows that.
   * @default ''
   */
  redisSecret: string
  /**
   * Requests per minute from one client address; further ones get 429. A batch counts as ten. A client may cause twice as many upstream calls; beyond that it gets only cached answers. An IPv6 client is its /64 network. Not applied if host is a loopback address and trustProxy is empty, because all clients then have the same address. 0: no limit.
   * @default 300
   */
  rateLimit: number
  /**
   * QR codes per minute for one client address, with three login checks for each and three waiting checks at once. Applied like rateLimit. 0: no limit on logins.
   * @default 10
   */
  rateLimitLoginStarts: number
  /**
   * Maximum number of client connections. One address may have a quarter; a tenth may be waiting checks of the alternative QR login. For one more, the longest idle connection is closed; if none is idle, the new one. Lowered at the start, with a warning, if the limit of open files requires it.
   * @default 2000
   */
  maxConnections: number
  /**
   * Requests get 503 while the event loop lags by more than this on average. 0: never. Milliseconds.
   * @default 250
   */
  shedDelayMs: number
  /**
   * Time between the stop signal and the stop. Requests are still answered, but /health/ready returns 503, so that a load balancer sends no new ones. Milliseconds.
   * @default 0
   */
  stopDelayMs: number
  /**
   * Time that running requests have to finish when the relay stops; then they get 503. Milliseconds.
   * @default 5000
   */
  stopMs: number
}

/** What the upstream asks for when a key is renewed. It stays in the stored login: no answer, log or cookie has it. */
export type LoginRenewal = {
  /** 1 alternative channel, 2 main channel. */
  loginType: 1 | 2
  /** Account number. */
  musicId: string
  /** The key to renew. A cookie with another key makes the rest useless. */
  musicKey: string
  /** When the upstream made the key, Unix seconds. */
  keyCreatedAt?: number
  /** How long the key lives, seconds. */
  keyExpiresIn?: number
  /** Account at the login service. */
  openId?: string
  /** Account at the login service, across programs. */
  unionId?: string
  /** Token of the login service. */
  accessToken?: string
  /** When that token expires, Unix seconds. */
  accessTokenExpiresAt?: number
  /** Token that renews the login. */
  refreshToken?: string
  /** Key that renews the login; often missing after the first login. */
  refreshKey?: string
}
