/** The definition of a method. A file is a subject with a table of methods, which opensubsonic.ts joins. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type TObject } from '@sinclair/typebox'
import type { BaseLogger } from 'pino'
import { defaulted, type Defaulted, type Filled } from '../../../schemas/common.ts'
import type { SendAudio, Call } from '../call.ts'
import type { Work } from '../../common/turns.ts'
import type { Caller } from '../../edge/caller.ts'
import type { PlayQueues } from '../../relay/playQueues.ts'
import type { Body } from './formats.ts'
import type { Library } from './library.ts'
import type { Records } from './shelf.ts'
import type { User } from './users.ts'
import type { wishedStream } from './variants.ts'

export interface MethodContext {
  readonly user: User
  readonly call: Call
  readonly library: Library
  readonly records: Records
  readonly values: (name: string) => readonly string[]
  /** What the player calls itself. */
  readonly client: string
  readonly queues: PlayQueues
  /** Says how many rows there are of which the answer has a part. */
  readonly count: (total: number) => void
  readonly work: Work
  readonly log: Pick<BaseLogger, 'warn'>
  /** Returns the address of a radio station, which plays without a further secret. Undefined if there is none. */
  readonly stationAddress: (radioId: number) => string | undefined
}

export interface MediaContext extends MethodContext {
  readonly caller: Caller
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly sendAudio: SendAudio<typeof wishedStream.input>
}

interface Common<I extends TObject> {
  /** For the reference: the answer and its source. */
  readonly summary: string
  /** For the reference: features of other servers that this one lacks. */
  readonly missing?: string
  readonly input: I
}

export interface BodyMethod<I extends TObject = TObject> extends Common<I> {
  /** The answer may be long. It is kept while the pages that it is made of are fresh, and depends on nothing else. */
  readonly isLong?: true
  readonly run: (input: Filled<I>, context: MethodContext) => Promise<Body> | Body
}

/** A method that needs no user and returns the same to everybody. */
export interface OpenMethod extends Common<typeof noInput> {
  readonly open: true
  readonly run: () => Body
}

/** A method that returns bytes, or a redirect to them. */
export interface MediaMethod<I extends TObject = TObject> extends Common<I> {
  readonly send: (input: Filled<I>, context: MediaContext) => Promise<FastifyReply>
}

/** A method with any input, for the code that calls all of them. */
export type AnyMethod =
  | OpenMethod
  | (Omit<BodyMethod, 'run'> & { readonly run: (input: never, context: MethodContext) => Promise<Body> | Body })
  | (Omit<MediaMethod, 'send'> & { readonly send: (input: never, context: MediaContext) => Promise<FastifyReply> })

/** Returns the definition unchanged, with its types inferred. */
export const method = <I extends TObject>(definition: BodyMethod<I>): BodyMethod<I> => definition

export const openMethod = (definition: Omit<OpenMethod, 'input' | 'open'>): OpenMethod => ({
  ...definition,
  input: noInput,
  open: true
})

/** Returns the definition unchanged, with its types inferred. */
export const mediaMethod = <I extends TObject>(definition: MediaMethod<I>): MediaMethod<I> => definition

export const noInput = Type.Object({})

export const id = (what: string): ReturnType<typeof Type.String> => Type.String({ description: `Id of ${what}.` })

/** A number of rows. Clients may request any number, and at most `most` are returned. */
export const count = (fallback: number): Defaulted<ReturnType<typeof Type.Integer>> =>
  defaulted(Type.Integer({ minimum: 0, maximum: 2 ** 31, description: 'Number of rows.' }), fallback)

export const offset = (): Defaulted<ReturnType<typeof Type.Integer>> =>
  defaulted(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Rows to leave out.' }), 0)

// @mutate OpenSubsonic: opensubsonic opensubsonic-methods
