/** One call of the library, as JSON: node meting.js <function> <arguments as a JSON list>. */
import Meting from '@meting/core'

const [name, args] = process.argv.slice(2)
process.stdout.write(await new Meting('tencent').format(true)[name](...JSON.parse(args)))
