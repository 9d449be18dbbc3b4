/**
 * Reads the balance of a player after each burst of calls, when no call of the player is in
 * progress. The judge compares it with the bets. A wallet need not have /user/balance.
 */
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import { parseWireBalance } from '@purser/protocol/values/money'
import type { LiveCall, LiveCallListener } from '../wire/live-call-log.ts'
import type { OwnCalls } from './own-calls.ts'
import type { DevPlayer } from './players/dev-player.ts'

export interface BalanceReads {
  readonly listener: LiveCallListener
  /** From now on the balance of this player is read. Resolves after the first read. */
  add(player: DevPlayer): Promise<void>
  /** Resolves when the balance was read after the player's last call. */
  settled(player: DevPlayer): Promise<void>
  /** False after the first answer of a wallet without the call. */
  isAvailable(): boolean
}

interface Activity {
  readonly player: DevPlayer
  inFlight: number
  /** Increases with each call to the wallet. */
  version: number
  /** The version whose balance was read. */
  readVersion: number
  reading: Promise<void> | undefined
}

/** A wallet without the call answers so. */
const NOT_IMPLEMENTED = [404, 405, 501]
/**
 * A wallet that refuses so many reads, and has never given a balance, does not have the call. A 5xx
 * does not count, because the wallet may be starting.
 */
const MAX_FIRST_REFUSALS = 3
const FIRST_SERVER_ERROR = 500
/** Milliseconds until a balance is given up, because calls of the player never pause. */
const SETTLE_MS = 20_000
const SETTLE_GAP_MS = 10

export function createBalanceReads(ownCalls: () => OwnCalls, note: (sentence: string) => void): BalanceReads {
  const activities = new Map<string, Activity>()
  let isAvailable = true
  let hasWorked = false
  let refusals = 0
  const giveUp = (status: number) => {
    if (isAvailable) note(formatMissingBalances(status))
    isAvailable = false
  }
  const read = async (activity: Activity) => {
    while (isAvailable && activity.inFlight === 0 && activity.readVersion !== activity.version) {
      const { version } = activity
      await ownCalls().readBalance(activity.player)
      if (activity.inFlight === 0) activity.readVersion = version
    }
  }
  const startRead = (activity: Activity) => {
    activity.reading ??= read(activity).finally(() => {
      activity.reading = undefined
    })
    return activity.reading
  }
  const recordBalance = (call: LiveCall, { player }: Activity) => {
    const { answer } = call
    if (answer?.kind !== 'some') return
    if (NOT_IMPLEMENTED.includes(answer.status)) return giveUp(answer.status)
    hasWorked ||= answer.status === 200
    if (answer.status < FIRST_SERVER_ERROR) refusals += 1
    if (!hasWorked && refusals >= MAX_FIRST_REFUSALS) return giveUp(answer.status)
    const units = parseWireBalance(parseJsonObject(answer.body)?.amount, player.scale)
    if (answer.status === 200 && units !== undefined) player.balance = units
  }
  return {
    isAvailable: () => isAvailable,
    async add(player) {
      const activity: Activity = { player, inFlight: 0, version: 0, readVersion: -1, reading: undefined }
      activities.set(player.userId, activity)
      await startRead(activity)
    },
    listener: {
      sent(call) {
        const activity = activities.get(call.player)
        if (activity === undefined || call.operation === 'balance') return
        activity.inFlight += 1
        activity.version += 1
      },
      ended(call) {
        const activity = activities.get(call.player)
        if (activity === undefined) return
        if (call.operation === 'balance') return recordBalance(call, activity)
        if (call.request === undefined) return
        activity.inFlight -= 1
        if (activity.inFlight === 0) setImmediate(() => void startRead(activity))
      },
    },
    async settled(player) {
      const activity = activities.get(player.userId)
      const until = performance.now() + SETTLE_MS
      while (activity !== undefined && isAvailable && performance.now() < until) {
        if (activity.inFlight === 0) await startRead(activity)
        if (activity.inFlight === 0 && activity.readVersion === activity.version) return
        await new Promise((resolve) => setTimeout(resolve, SETTLE_GAP_MS))
      }
    },
  }
}

function formatMissingBalances(status: number): string {
  return (
    `The wallet has no Balance call (POST /user/balance was answered with HTTP status ${status}), so the players' money is not checked: ` +
    'a stake that is debited twice, or a payout that is paid twice, stays unseen. ' +
    'Answer this signed call with the JSON members userId, currency and amount, the present balance as a number. ' +
    'Its request has token, userId, currency and requestId. The interface does not have this call; it is optional.'
  )
}
