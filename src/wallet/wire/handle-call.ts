/** The way of a call, on one screen: verify → decode → queue → apply → reply, all of it in time. */
import type { WireRequest } from '../../http/wire.ts'
import { Malformed, orMalformed } from '../../protocol/body.ts'
import { giveUpAt } from '../../protocol/limits.ts'
import type { Operation } from '../../protocol/operation.ts'
import { inTime } from '../../runtime/in-time.ts'
import type { Soon } from '../../runtime/soon.ts'
import { world } from '../../runtime/world.ts'
import type { BatchTimes } from '../apply/batch-times.ts'
import type { Answer, Lanes } from '../apply/lanes.ts'
import { type CallSettings, type DecodeSettings, decodeBetCall, decodeUserCall, namesIn } from './decode.ts'
import { answerBalance, answerCheck, answerProfile, type Learnt, type ProfileDeps } from './profile.ts'
import { failed, type Reply, refused, replyTo } from './reply.ts'
import { signerOfCall } from './verify.ts'

export interface CallDeps extends ProfileDeps {
  readonly secrets: readonly string[]
  /** By the place of the secret, the name of its platform (W-43). */
  readonly platforms: readonly string[]
  readonly settings: DecodeSettings
  /** By the place of the secret: the same for a bet call of its platform. */
  readonly settingsOf: readonly CallSettings[]
  readonly lanes: Lanes
  /** Told of what went wrong inside. */
  onFailure(error: unknown): void
}

/** A reply, and what is known of the call for logs and metrics. */
export interface Handled {
  readonly reply: Reply
  readonly operation: Operation | 'unknown'
  readonly call?: Readonly<Learnt>
  /** The place of the secret that signed the call; absent when none did. */
  readonly signer?: number
  /** The one that it came into, if any. */
  readonly batch?: BatchTimes | undefined
  /** Of a question, which comes into none: when the database was asked, and when it had answered. */
  readonly asked?: Pick<BatchTimes, 'takenAt' | 'endedAt'>
}

/** A call to /payment/bet. Never rejects. */
export function handleBetCall(deps: CallDeps, request: WireRequest): Soon<Handled> {
  const signer = signerOfCall(request, deps.secrets)
  if (signer === undefined) return { reply: refused('bad_signature'), operation: 'unknown' }
  const call = orMalformed(() => decodeBetCall(request.method, request.body, deps.settingsOf[signer] as CallSettings))
  if (call instanceof Malformed) return { ...malformed(deps, request, call), operation: 'unknown', signer }
  const { kind: operation } = call
  const answered = ({ outcome, batch }: Answer): Handled => ({
    reply: replyTo(operation, outcome),
    operation,
    call,
    signer,
    batch,
  })
  const broken = (error: unknown): Handled => {
    deps.onFailure(error) // a defect of ours; the call is still the partner's, not a stranger's
    return { reply: failed(operation), operation, call, signer }
  }
  try {
    return deps.lanes.submit(call, request.arrivedAt, request.span).then(answered).catch(broken)
  } catch (error) {
    return broken(error)
  }
}

function malformed({ settings }: CallDeps, { body }: WireRequest, { message }: Malformed) {
  return { reply: refused('invalid_request', message), call: namesIn(body, settings) }
}

/** A call to /user/profile, /user/balance or /payment/check. */
export async function handleUserCall(
  deps: CallDeps,
  operation: 'profile' | 'balance' | 'check',
  request: WireRequest,
): Promise<Handled> {
  const signer = signerOfCall(request, deps.secrets)
  if (signer === undefined) return { reply: refused('bad_signature'), operation }
  const late = () => {
    deps.onFailure(new Error('no answer in time'))
    return failed(operation)
  }
  const leftMs = giveUpAt(request.arrivedAt) - world.elapsed()
  if (leftMs <= 0) return { reply: late(), operation, call: namesIn(request.body, deps.settings), signer }
  const call: Learnt = {}
  const platform = deps.platforms[signer] ?? ''
  const takenAt = world.elapsed()
  try {
    const reply = await inTime(ANSWERS[operation](deps, request.body, call, platform), leftMs, late)
    return { reply, operation, call, signer, asked: { takenAt, endedAt: world.elapsed() } }
  } catch (error) {
    if (error instanceof Malformed) return { ...malformed(deps, request, error), operation, signer }
    deps.onFailure(error)
    return { reply: failed(operation), operation, call, signer }
  }
}

const ANSWERS = {
  profile: async (deps: CallDeps, body: Buffer, call: Learnt) =>
    answerProfile(deps, decodeUserCall.profile(body), call),
  balance: async (deps: CallDeps, body: Buffer, call: Learnt) =>
    answerBalance(deps, decodeUserCall.balance(body), call),
  check: async (deps: CallDeps, body: Buffer, call: Learnt, platform: string) =>
    answerCheck(deps, decodeUserCall.check(body), call, platform),
}
