/** The interface to the browser sessions. src/accounts stores them. */

/** A browser that is logged in to this relay. */
export interface BrowserSession {
  /** Name of the browser for people. It opens nothing, and stays the same when the session gets another text. */
  readonly id: string
  /** Name of the stored account as which the browser acts. */
  readonly account?: string | undefined
  /** Names of the other accounts that the browser is logged in to. */
  readonly others: readonly string[]
  /** Whether the browser is the operator's. Counts only while there is no access token. */
  readonly operator: boolean
  /** Unix seconds of its begin. */
  readonly createdAt: number
  /** Unix seconds of its last use. */
  readonly usedAt: number
}

/** A session to begin. */
export interface NewSession {
  /** The account as which the browser acts from now on. */
  readonly account?: string | undefined
  /** Makes the browser the operator's. */
  readonly operator?: boolean | undefined
  /** Text of the browser's session, whose accounts it keeps: a session gets another text whenever it may do more. */
  readonly replaces?: string | undefined
  /** Name of the client, which may have only a share of all sessions. */
  readonly client?: string | undefined
}

/** How a login came to be stored, in Unix seconds and words for the operator. */
export interface StoringRecord {
  /** When it was stored. */
  readonly at: number
  /** Where it was stored. */
  readonly through: 'page' | 'command'
  /** The session of a page's browser, the access token, or the system's user who ran the command. */
  readonly by: string
}

/** The sessions of one relay. */
export interface BrowserSessions {
  /** Returns the session of a text that a browser sent. */
  find (text: string): BrowserSession | undefined
  /**
   * Begins a session, on disk when it resolves. Returns the text for the cookie. Throws OVERLOADED when there are too
   * many, and file system errors.
   */
  begin (session: NewSession): Promise<string>
  /** Ends a session or, with an account, only its part in the session. */
  end (text: string, account?: string): Promise<void>
  /** Notes who stored a login under this name. */
  stored (account: string, how: Omit<StoringRecord, 'at'>): Promise<void>
}

/** How long a session lasts without use, in seconds. */
export const sessionSeconds = 60 * 86_400
