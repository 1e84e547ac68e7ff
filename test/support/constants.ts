import { accountLimits } from '../../src/accounts/accounts.ts'
import { renewalTimes } from '../../src/accounts/record.ts'
import { connectionLimits } from '../../src/edge/connections.ts'
import { requestCosts, shedMemoryPercent } from '../../src/edge/limits.ts'
import { stopLimits } from '../../src/edge/shutdown.ts'
import { answerLimits } from '../../src/relay/answers.ts'
import { clientLimits } from '../../src/relay/clientLimits.ts'
import { memoryLimits } from '../../src/relay/runtime.ts'
import { redisTimeoutMs } from '../../src/cache/redis.ts'
import { upstreamLimits } from '../../src/upstream/client.ts'
import { transportLimits } from '../../src/upstream/http/transport.ts'
import { loginLimits } from '../../src/upstream/login/logins.ts'

/** The constants that a test may replace, each name once. */
export const constants = {
  ...accountLimits, ...renewalTimes, ...connectionLimits, ...requestCosts, ...stopLimits, ...answerLimits,
  ...clientLimits, ...memoryLimits,
  ...upstreamLimits, ...transportLimits, ...loginLimits, shedMemoryPercent, redisTimeoutMs
}

/** Constants that a test replaces. */
export type Tuning = { readonly [Name in keyof typeof constants]?: number }
