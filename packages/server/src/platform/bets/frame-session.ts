/**
 * Frame session: a user's visit to the frame (the betting page inside the partner's site). When the
 * frame loads, the partner's profile of the user decides the identity that the session's bets carry
 * (C-7).
 */

import type { UserProfile } from '@purser/protocol/user-profile'
import { isStorable } from '@purser/protocol/wire-ids'
import { environment } from '@purser/runtime/environment'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { type Db, statement } from '../../core/database/db.ts'
import { mapSingleRow } from '../../core/database/row-mapping.ts'
import type { Partners } from '../partner-clients.ts'
import { type PlatformRefusal, toNotFound, toRefusal } from '../platform-refusal.ts'
import type { FlowDeps } from './bet-flow.ts'
import { formatProfileMessage } from './partner-messages.ts'

export interface FrameSession {
  readonly frameSessionId: string
  readonly partnerId: string
  readonly token: string
  readonly userId: string
  readonly operatorUser: string | null
  /**
   * Active currency at load. Later bets carry it even after a switch (multi-currency rules 1 and
   * 2).
   */
  readonly currency: string
  readonly profile: UserProfile
}

export interface StoredFrameSession extends FrameSession {
  /** Scale of stored amounts of the currency (M-5); null before the first amount. */
  readonly scale: number | null
}

const NEW = mapSingleRow<FrameSession>(2, {
  frame_session_id: ['uuid', ({ frameSessionId }) => frameSessionId],
  partner_id: ['text', ({ partnerId }) => partnerId],
  token: ['text', ({ token }) => token],
  user_id: ['text', ({ userId }) => userId],
  operator_user: ['text', ({ operatorUser }) => operatorUser],
  currency: ['text', ({ currency }) => currency],
  profile: ['json', ({ profile }) => JSON.stringify(profile)],
})
const INSERT = statement(
  'platform_insert_frame_session',
  `insert into platform.frame_session (created_at, ${NEW.columns}) values ($1::timestamptz, ${NEW.parameters})`,
)
const READ = statement(
  'platform_read_frame_session',
  `select f.frame_session_id, f.partner_id, f.token, f.user_id, f.operator_user, f.currency, f.profile, c.scale
   from platform.frame_session f left join platform.currency c on c.currency = f.currency where f.frame_session_id = any($1::uuid[]) and f.token <> ''`,
)

interface Row extends Record<string, unknown> {
  frame_session_id: string
  partner_id: string
  token: string
  user_id: string
  operator_user: string | null
  currency: string
  profile: UserProfile
  scale: number | null
}

export async function openFrameSession(
  deps: FlowDeps & { partners: Partners },
  author: Actor,
  partnerId: string,
  token: string,
): Promise<FrameSession | PlatformRefusal> {
  const client = await deps.partners.client(partnerId, 'users')
  if (client === undefined) return toNotFound('the partner')
  const { outcome } = await client.call('profile', formatProfileMessage(token, environment.uuid()))
  if (outcome.kind === 'refused')
    return toRefusal('partner_refused', `the partner answered code ${outcome.code}: ${outcome.message}`)
  if (outcome.kind === 'unknown') return toUnusableReply(outcome.detail)
  const profile = outcome.reply as UserProfile
  if (!deps.scales.has(profile.currency))
    return toUnusableReply(`the profile's currency ${profile.currency} is unknown: configure it`)
  if (!isStorable(profile.userId)) return toUnusableReply('the userId cannot be stored unchanged') // it must never change (C-7)
  const session = { frameSessionId: environment.uuid(), partnerId, token, ...toIdentity(profile), profile }
  await saveFrameSession(deps, author, session)
  return session
}

function toUnusableReply(detail: string): PlatformRefusal {
  return toRefusal('partner_failed', `the partner gave no usable answer: ${detail}`)
}

/** The operator's id is a member, or inside `customFields` (P-5). */
function toIdentity(profile: UserProfile) {
  const operatorUser = profile.operatorUser ?? profile.customFields?.operatorUser ?? null
  return { userId: profile.userId, operatorUser, currency: profile.currency }
}

async function saveFrameSession({ db, clock }: FlowDeps, author: Actor, session: FrameSession): Promise<void> {
  const { frameSessionId, partnerId, userId, currency } = session
  const at = clock.now()
  const change = { on: { frameSessionId }, before: {}, after: { partnerId, userId, currency }, at }
  await db.transaction((tx) =>
    Promise.all([tx.execute(INSERT, [at, ...NEW.values(session)]), author.record(tx, change)]),
  )
}

export async function readFrameSession(
  { db }: FlowDeps,
  frameSessionId: string,
): Promise<StoredFrameSession | undefined> {
  return (await readFrameSessions(db, [frameSessionId]))(frameSessionId)
}

/** The lookup ignores the case of an id. */
export async function readFrameSessions(
  db: Pick<Db, 'query'>,
  ids: readonly string[],
): Promise<(frameSessionId: string) => StoredFrameSession | undefined> {
  const rows = await db.query<Row>(READ, [[...new Set(ids)]])
  const sessions = new Map(rows.map((row) => [row.frame_session_id, toSession(row)]))
  return (frameSessionId) => sessions.get(frameSessionId.toLowerCase())
}

function toSession(row: Row): StoredFrameSession {
  const { frame_session_id, partner_id, token, user_id, operator_user, currency, profile, scale } = row
  return {
    frameSessionId: frame_session_id,
    partnerId: partner_id,
    token,
    userId: user_id,
    operatorUser: operator_user,
    currency,
    profile,
    scale,
  }
}
