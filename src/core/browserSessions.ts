/** The interface to the browser sessions. src/accounts stores them. */

/** A browser that is logged in to this relay. */
export interface BrowserSession {
  /** Name of the session for people. It opens nothing. */
  readonly id: string
  /** Name of the stored account whose login the browser uses. */
  readonly account?: string | undefined
  /** Whether the browser is the operator's. Counts only while there is no access token. */
  readonly operator: boolean
  /** Unix seconds. */
  readonly createdAt: number
  readonly usedAt: number
}

/** A session to begin. */
export interface NewSession {
  readonly account?: string | undefined
  readonly operator: boolean
  /** Text of the session that the new one replaces: a session gets another text whenever it may do more. */
  readonly replaces?: string | undefined
  /** Name of the client, which may have only a share of all sessions. */
  readonly client?: string | undefined
}

/** The sessions of one relay. */
export interface BrowserSessions {
  /** Returns the session of a text that a browser sent. */
  find (text: string): BrowserSession | undefined
  /** Begins a session, on disk when it resolves. Returns the text for the cookie. Throws OVERLOADED when there are too many, and file system errors. */
  begin (session: NewSession): Promise<string>
  /** Ends a session. */
  end (text: string): Promise<void>
  /** Notes that a page stored a login under this name. */
  stored (account: string): Promise<void>
}

/** How long a session lasts without use, in seconds. */
export const sessionSeconds = 60 * 86_400
