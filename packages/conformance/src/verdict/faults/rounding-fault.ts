/**
 * Explains a wrong balance by arithmetic: a wallet that keeps two decimals of a currency with
 * three, or that calculates with floating-point numbers.
 */
import { isCarriedOut } from '../../wallet/case/accepted-call.ts'
import type { EndedCall } from '../books/player-book.ts'
import { getUnits } from '../live-call.ts'
import type { FaultName } from './live-fault.ts'

type Rounding = 'cut' | 'half up'

/** A wallet that keeps two decimals. */
const KEPT_DECIMALS = 2

/** A call that has moved money, by the amount of the call. */
interface MoneyMove {
  readonly sign: 1n | -1n
  readonly units: bigint
}

/** True if the wallet has lost exactly the later decimals since the last right balance. */
export function losesDecimals(
  recent: readonly EndedCall[],
  { start, end, scale }: { start: bigint; end: bigint; scale: number },
): boolean {
  if (scale <= KEPT_DECIMALS) return false
  const step = 10n ** BigInt(scale - KEPT_DECIMALS)
  const moves = recent.flatMap(readMove)
  if (moves.every(({ units }) => units % step === 0n)) return false
  return (['cut', 'half up'] as const).some(
    (rounding) =>
      end ===
        replayMoves(
          start,
          moves,
          (units) => roundUnits(units, step, rounding),
          (balance) => balance,
        ) ||
      end ===
        replayMoves(
          start,
          moves,
          (units) => units,
          (balance) => roundUnits(balance, step, rounding),
        ),
  )
}

/** Undefined effect for calls that were repeats: these move nothing in either wallet. */
function readMove({ call, answer, before, after }: EndedCall): MoneyMove[] {
  const units = getUnits(call)
  const hasChanged = before[0]?.phase !== after[0]?.phase
  const { operation } = call
  if (operation === 'place' && hasChanged && answer.kind === 'accepted' && units !== undefined)
    return [{ sign: -1n, units }]
  if (operation === 'settle' && answer.kind === 'accepted' && units !== undefined) return readPayout(before[0], units)
  const isCancelled = operation === 'rollback' && hasChanged && isCarriedOut('rollback', answer)
  return isCancelled ? [{ sign: 1n, units: before[0]?.stake ?? 0n }] : []
}

/** A corrected result takes the earlier payout back and pays the new one. */
function readPayout(before: EndedCall['before'][0] | undefined, units: bigint): MoneyMove[] {
  const paid = before?.paid ?? 0n
  if (paid === units) return []
  return [...(paid === 0n ? [] : [{ sign: -1n, units: paid } as const]), { sign: 1n, units }]
}

function replayMoves(
  start: bigint,
  moves: readonly MoneyMove[],
  roundAmount: (units: bigint) => bigint,
  roundBalance: (units: bigint) => bigint,
): bigint {
  return moves.reduce((balance, { sign, units }) => roundBalance(balance + sign * roundAmount(units)), start)
}

function roundUnits(units: bigint, step: bigint, rounding: Rounding): bigint {
  const half = rounding === 'half up' ? step / 2n : 0n
  const shifted = units + half
  const rest = ((shifted % step) + step) % step
  return shifted - rest
}

/** Minor units that one call can lose in a floating-point number. */
const LOST_PER_CALL = 1n

/** The fault, if the difference is so small that rounding of these calls explains it. */
export function findRoundingError(
  recent: readonly EndedCall[],
  difference: bigint,
  scale: number,
): FaultName | undefined {
  const unit = 10n ** BigInt(scale)
  const units = recent.map(({ call }) => getUnits(call) ?? 0n).filter((amount) => amount > 0n)
  const size = difference < 0n ? -difference : difference
  if (size === 0n || size > LOST_PER_CALL * BigInt(units.length)) return undefined
  const fractional = units.filter((amount) => amount % unit !== 0n)
  return size <= LOST_PER_CALL * BigInt(fractional.length) ? 'cents lost by floats' : 'single minor units lost'
}
