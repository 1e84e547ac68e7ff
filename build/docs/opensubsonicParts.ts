/** The parts of docs/opensubsonic.md that are the same for all methods. */

export const headPart = `# OpenSubsonic

Written by \`npm run openapi\` from the definitions in \`src/players/opensubsonic\`; edit those. [Add the relay to your player](players.md) is for
listeners, [Test a client](guides/testing-a-client.md) for authors of players.

\`\`\`sh
curl 'http://localhost:3200/rest/ping?u=demo&p=demo&f=json'
\`\`\`

\`\`\`json
{"subsonic-response":{"status":"ok","version":"1.16.1","type":"music-relay","serverVersion":"…","openSubsonic":true}}
\`\`\`

The library consists of the songs that the account likes, and its own and collected playlists. Searches with words find the whole catalogue of the provider. Everything is read-only.

The interface is on as soon as there is a stored account (\`music-relay login --as <name>\`) or \`SUBSONIC_PASSWORD\`. Until then, every
request is 404. In the demo it is on, with the user \`demo\` and the password \`demo\`.

## Requests

| | |
|---|---|
| Address | \`/rest/<method>\`, or \`/rest/<method>.view\` |
| Method | GET, or POST with a form (\`application/x-www-form-urlencoded\`). A field of the form takes precedence over the query |
| \`f\` | \`xml\` (the default), \`json\`, or \`jsonp\` with \`callback\` |
| \`v\`, \`c\` and all unknown parameters | Ignored |
| A repeated parameter | The first one counts, except \`id\` of a queue |
| An empty parameter | Counts as omitted |`

export const who = `## Authentication

\`ACCESS_TOKEN\`, cookies and the header \`Authorization\` are ignored here, except that an unknown secret in that header is refused. Each request must send one of:

| Parameters | |
|---|---|
| \`u\`, \`p\` | \`p\` is the secret itself, or \`enc:\` followed by its bytes as hexadecimal digits |
| \`u\`, \`t\`, \`s\` | \`t\` is the MD5 of the secret followed by \`s\`, as hexadecimal digits |
| \`apiKey\` | The secret or a key, without \`u\`, \`p\` and \`t\` |

| What | As \`p\` | As \`t\` and \`s\` | As \`apiKey\` | It may |
|---|---|---|---|---|
| The secret of a stored account (\`mr_…\`) | with the name of the account as \`u\` | with the same \`u\` | yes | do everything |
| A key of a stored account (\`mk_…\`) | with the name of the account as \`u\` | no: keys are stored as hashes | yes | do what the key may. \`--no-login-endpoints\`: search, play and read public playlists, but not the liked songs, the collection, the queue and the picture of the account. \`--per-minute\`: each request counts |
| \`SUBSONIC_PASSWORD\` | with any \`u\` that is not a stored account | with the same \`u\` | no | do everything, with the login of \`user-info.json\` |

Without a stored login, the password gives access to an empty library, charts and searches. [Log in](login.md) says how to store one.`

export const answers = `## Answers

Content and order are the same in all three forms. In XML, objects and rows of lists are elements, plain values are attributes, and \`value\` is
the text of its element. The \`artists\` and the dates of release of an album are in JSON only, because Clementine stops copying at an album
with parts that are no songs. Unknown fields are omitted. \`stream\` and the pictures answer with a redirect.

Any page may read the answers (\`access-control-allow-origin: *\`), because it must send the secret.`

export const ids = `| Id | What | Example |
|---|---|---|
| \`so-<MID>\` | A song | \`so-00DemoSong0001\` |
| \`al-<MID>\` | An album of the catalogue, with all its songs | \`al-00DemoAlbu0001\` |
| \`la-<MID>\` | An album of the library: its liked songs only. \`la-0\` has the liked songs without an album | \`la-00DemoAlbu0005\` |
| \`ar-<MID>\` | A singer | \`ar-00DemoSing0001\` |
| \`pl-<number>\` | A playlist | \`pl-7700000001\` |
| \`ch-<number>\` | A chart | \`ch-62\` |
| \`ra-<number>\` | A radio station, as a playlist of 30 songs | \`ra-199\` |
| \`li-liked\`, \`li-daily\`, \`li-radar\` | The liked songs, the songs of the day, the radio of the account | |

Ids never change, and the relay stores nothing for them: clients may store them for months. A song has the same fields
wherever it stands; only \`albumId\` and \`parent\` differ between the library and the catalogue.`

/** Returns the table of limits. Numbers are for a minute. */
export const limits = (
  { requests, upstreamCalls }: { readonly requests: number, readonly upstreamCalls: number }
): string =>
  `| What | Limit | When it is exceeded |
|---|---|---|
| Wrong tries of \`SUBSONIC_PASSWORD\`, under names that are no stored account's | 20 a minute from one address for one user, 200 for all users together | 429 until the minute is over, even for the right password. Secrets and keys of accounts are too long to guess |
| Upstream calls for audio | As many as for everything else, counted separately | 429; playback continues while a library is copied |
| Requests from one address | ${requests.toLocaleString('en')} a minute: 20 for one of \`RATE_LIMIT\` | 429 |
| Upstream calls that an account causes | ${upstreamCalls} a minute: twice \`RATE_LIMIT\`, together with its other apps | 429; cached answers are still served |
| Lists of more than 100 rows | One at a time for each client | None: the next one waits |
| Liked songs whose albums and singers are listed | 20,000, the latest | Older songs appear only as songs |
| \`getStarred\`, \`getStarred2\` | 10,000 songs, 1,000 albums, 1,000 singers | The rest is omitted |
| Playlists that the account made; collected | 1,000 each | The rest is omitted |
| A playlist; a chart | 5,000 songs; 100 | The rest is omitted |
| Rows of a list of albums, and of each kind in a search | 500 | Use the next offset |
| \`getRandomSongs\` | 500 songs | The rest is omitted |
| A search with words | 1,000 rows of each kind | No more rows |
| A queue | 500 songs around the current one | The rest is not stored |

An IPv6 address is its /64 network. Behind a loopback bind without \`TRUST_PROXY\`, clients cannot be told apart: the limit of requests does not
apply, and the wrong tries of all clients count together. Set \`TRUST_PROXY\` ([running it in public](running-in-public.md)).`

export const unknowns = `| Data | In this relay |
|---|---|
| Genres | None. Two "genres" stand for the recommendations of the account, a third one for the new albums of the provider |
| Play counts, last played, ratings | None. \`newest\`, \`frequent\`, \`recent\` and \`highest\` lists are the latest liked first |
| When a song was liked | Only the order is known: \`starred\` is the day of publication; if that is unknown, the day on which the relay started. For an album it is the day of collection |
| When a singer was followed; when a list was changed, if the provider does not say it | The day on which the relay started, because the standard requires a time |
| Whether a song of a search, album or playlist is liked | \`starred\` is present; in a library of more than 500 songs, once its albums or singers were read |
| When a song was added | \`created\` is the day of publication; absent if unknown |
| What an account may play | \`suffix\`, \`contentType\`, \`size\` and \`bitRate\` are those of the file that \`stream\` sends without a wish: with a subscription FLAC, else MP3 at 128 kbit/s, or at 320 for free songs. A file that the provider refuses to an account is replaced by the next one |
| Numbers of tracks and discs | Absent where the provider sends none. |
| Number and length of the songs of an album or playlist | Asked once, ten albums in a request, and cached. So are ten playlists of at most 300 songs; other lists have an estimated length until they are opened |
| Language of a lyric | \`und\`; a translation is \`zho\` |
| \`offset\` of a lyric | 0: the tag \`[offset:…]\` is already applied to the times, because not all players read it |`
