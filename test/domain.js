/**
 * In the bundles of tests, in the place of `async-hook-domain`, by which tap gives a stray error to the test that caused it.
 * The package watches the end of every promise and handle for that, which takes a tenth of the CPU of tests that send
 * thousands of requests. This one only passes the test on from cause to effect.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const current = new AsyncLocalStorage()
const alive = new Set()
const { emit } = process

const standing = (domain) => domain?.destroyed === true ? standing(domain.parent) : domain

/** Returns whether a test took the error. */
function give (error, event) {
  if (process.hasUncaughtExceptionCaptureCallback() || process.listenerCount('uncaughtException') > 0) return false
  const domain = standing(current.getStore())
  if (domain === undefined) return false
  try {
    domain.onerror(error, event)
  } catch (other) {
    domain.destroy()
    if (!give(other)) throw other
  }
  return true
}

/** An error that a test took does not end the process. */
function onUncaught (error, event) {
  if (give(error, event)) process.setUncaughtExceptionCaptureCallback(() => { process.setUncaughtExceptionCaptureCallback(null) })
}

function emitOrGive (event, ...rest) {
  return event === 'unhandledRejection' && process.listenerCount(event) === 0 ? give(rest[0], event) : emit.call(process, event, ...rest)
}

export class Domain {
  destroyed = false
  parent = current.getStore()

  constructor (onerror) {
    this.onerror = onerror
    if (alive.size === 0) {
      process.on('uncaughtExceptionMonitor', onUncaught)
      process.emit = emitOrGive
    }
    alive.add(this)
    current.enterWith(this)
  }

  destroy () {
    this.destroyed = true
    if (!alive.delete(this) || alive.size > 0) return
    process.removeListener('uncaughtExceptionMonitor', onUncaught)
    process.emit = emit
  }
}
