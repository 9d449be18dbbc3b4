/**
 * Cooling off (W-50): a change that lifts a block or a self-exclusion, or raises a limit, is
 * delayed.
 *
 * States of a requested change:
 * - waiting: the same request after the hours, or by another person → applied
 * - waiting: a request for another value that must wait too → waiting, for the new value
 * - waiting: a request for the present value or a stricter one → withdrawn
 * - waiting: seven more days → expired; nothing is written, and the same request starts anew
 *
 * Each changed member of a player waits on its own, in the player's row. The lock on this row
 * orders concurrent requests, because the clocks of processes differ.
 */

import { toCommonUnits } from '@purser/protocol/values/decimal'
import { Type } from 'typebox'
import type { Player, PlayerLimits, Protection, WaitingChange, WaitingChanges } from '../../store/player.ts'
import { PROPOSAL_TTL_MS } from '../money/adjustment-proposal-store.ts'
import { type ApprovalActor, isSamePerson } from '../money/dual-approval.ts'

/** A number is a number of hours. */
export type CoolingOff = 'none' | 'second-person' | number

const HOUR_MS = 3_600_000

type Value = WaitingChange['value']

/** Members of a request that may lift a protection. */
interface Patch {
  readonly status?: unknown
  readonly selfExcludedUntil?: unknown
  readonly limits?: { readonly [limit in keyof PlayerLimits]?: unknown } | undefined
}

interface Rule {
  isIn(patch: Patch): boolean
  read(player: Player): Value
  isLooser(value: Value, than: Value, now: Date): boolean
  /** Restores this member of the player from `before`. */
  withMember(player: Player, before: Player): Player
}

const RULES: Readonly<Record<Protection, Rule>> = {
  status: {
    isIn: ({ status }) => status !== undefined,
    read: ({ status }) => status,
    isLooser: (value, than) => value === 'active' && than === 'blocked',
    withMember: (player, { status }) => ({ ...player, status }),
  },
  selfExcludedUntil: {
    isIn: ({ selfExcludedUntil }) => selfExcludedUntil !== undefined,
    read: ({ selfExcludedUntil }) => selfExcludedUntil?.toISOString() ?? null,
    isLooser: isEarlier,
    withMember: (player, { selfExcludedUntil }) => ({ ...player, selfExcludedUntil }),
  },
  'limits.stake': ruleOfLimit('stake'),
  'limits.loss': ruleOfLimit('loss'),
  'limits.betCount': ruleOfLimit('betCount'),
}
const PROTECTIONS = Object.keys(RULES) as Protection[]

function ruleOfLimit(name: keyof PlayerLimits): Rule {
  return {
    isIn: ({ limits }) => limits?.[name] !== undefined,
    read: ({ limits }) => limits[name] ?? null,
    isLooser: isHigher,
    withMember: (player, before) => ({ ...player, limits: { ...player.limits, [name]: before.limits[name] } }),
  }
}

/** A self-exclusion in the past no longer protects. */
function isEarlier(value: Value, than: Value, now: Date): boolean {
  if (than === null || new Date(than) <= now) return false
  return value === null || new Date(value) < new Date(than)
}

/** Null: no limit. */
function isHigher(value: Value, than: Value): boolean {
  if (value === null || than === null) return value === null && than !== null
  const [units = 0n, present = 0n] = toCommonUnits([String(value), String(than)])
  return units > present
}

const time = (description: string) => Type.String({ format: 'date-time', description })
export const WaitingSchema = Type.Object(
  {
    member: Type.Enum([...PROTECTIONS]),
    value: Type.Union([Type.String(), Type.Integer(), Type.Null()], {
      description: 'The value that the member will have. It will be removed if this is null.',
    }),
    askedAt: time('The time of the first request.'),
    askedBy: Type.Object({ key: Type.String(), person: Type.String() }),
    from: Type.Optional(
      time(
        'After this time the same request makes the change. If it is absent, the change needs the request of another person.',
      ),
    ),
    until: time('After this time the same request starts a new waiting period.'),
  },
  { description: 'A pending change that lifts an exclusion or raises a limit (W-50).' },
)

/** In the order of PROTECTIONS. */
export function showWaiting(waiting: WaitingChanges | null) {
  return PROTECTIONS.flatMap((member) => {
    const change = waiting?.[member]
    if (change === undefined) return []
    const { key, person, value, ...times } = change
    return [{ member, value, askedBy: { key, person }, ...times }]
  })
}

/** Requested values for the audit log. */
export function waitingValues(waiting: WaitingChanges | null): { readonly waiting?: Readonly<Record<string, Value>> } {
  if (waiting === null) return {}
  return { waiting: Object.fromEntries(Object.entries(waiting).map(([member, { value }]) => [member, value])) }
}

interface Request {
  readonly coolingOff: CoolingOff
  readonly by: ApprovalActor
  readonly patch: Patch
  readonly before: Player
  /** The player after the whole request. */
  readonly wanted: Player
  readonly now: Date
}

/** Applies the part of the request that is immediate; `waits` is true if another part must wait. */
export function coolOff(request: Request): { readonly player: Player; readonly waits: boolean } {
  const { coolingOff, by, patch, before, wanted, now } = request
  if (coolingOff === 'none') return { player: { ...wanted, waiting: null }, waits: false }
  const asked = openChanges(before.waiting, now)
  const named = PROTECTIONS.filter((member) => RULES[member].isIn(patch))
  const next: Partial<Record<Protection, WaitingChange>> = { ...asked }
  let player = wanted
  for (const member of named) {
    const { [member]: earlier } = asked
    delete next[member]
    const { read, isLooser, withMember } = RULES[member]
    const value = read(wanted)
    if (!isLooser(value, read(before), now)) continue
    const isSame = earlier !== undefined && !isLooser(value, earlier.value, now) && !isLooser(earlier.value, value, now)
    if (isSame && mayBeMade(earlier, by, now)) continue
    next[member] = isSame ? earlier : newChange(coolingOff, value, by, now)
    player = withMember(player, before)
  }
  const waiting = Object.keys(next).length === 0 ? null : next
  return { player: { ...player, waiting }, waits: named.some((member) => member in next) }
}

function openChanges(waiting: WaitingChanges | null, now: Date): WaitingChanges {
  return Object.fromEntries(Object.entries(waiting ?? {}).filter(([, { until }]) => now < new Date(until)))
}

/** A waiting change keeps the condition of its request, even if the setting changes. */
function mayBeMade({ from, key, person }: WaitingChange, by: ApprovalActor, now: Date): boolean {
  return from === undefined ? !isSamePerson({ keyName: key, person }, by) : now >= new Date(from)
}

function newChange(
  coolingOff: 'second-person' | number,
  value: Value,
  { keyName: key, person }: ApprovalActor,
  now: Date,
): WaitingChange {
  const from = coolingOff === 'second-person' ? now : new Date(now.getTime() + coolingOff * HOUR_MS)
  const until = new Date(from.getTime() + PROPOSAL_TTL_MS)
  return {
    ...{ value, key, person, askedAt: now.toISOString() },
    ...(coolingOff !== 'second-person' && { from: from.toISOString() }),
    until: until.toISOString(),
  }
}
