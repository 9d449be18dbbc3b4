/**
 * Parser for the settings of adjustments and player changes that wait for a second person, or for
 * some hours.
 */
import type { Scales } from '@purser/protocol/values/money'
import type { SettingName } from './settings.ts'

export interface Approvals {
  /** Decimal amount per currency; '*' is for all others. Without an entry no adjustment waits. */
  readonly approveAbove: ReadonlyMap<string, string>
  /** Changes of players wait for a second person, or for this number of hours (W-50). */
  readonly coolingOff: 'none' | 'second-person' | number
}

const MAX_COOLING_OFF_H = 8_760

export function readApprovals(text: (name: SettingName) => string, scales: Scales, problems: string[]): Approvals {
  return {
    approveAbove: readApproveAbove(text('PURSER_APPROVE_ABOVE'), scales, problems),
    coolingOff: readCoolingOff(text('PURSER_COOLING_OFF'), problems),
  }
}

function readCoolingOff(text: string, problems: string[]): Approvals['coolingOff'] {
  if (text === 'none' || text === 'second-person') return text
  const hours = /^\d{1,4}h$/.test(text) ? Number.parseInt(text, 10) : 0
  if (hours < 1 || hours > MAX_COOLING_OFF_H)
    problems.push(
      `PURSER_COOLING_OFF must be none, second-person or hours from 1h to ${MAX_COOLING_OFF_H}h, not "${text}"`,
    )
  return hours
}

/**
 * Limits above which an adjustment needs a second person (W-27). An empty part is an error: an
 * amount may be missing.
 */
function readApproveAbove(text: string, scales: Scales, problems: string[]): Map<string, string> {
  const limits = new Map<string, string>()
  for (const entry of text === '' ? [] : text.split(',')) {
    const [, currency = '*', amount] = /^(?:([A-Z0-9]{3,5}):)?(\d{1,15}(?:\.\d{1,12})?)$/.exec(entry.trim()) ?? []
    if (amount === undefined) problems.push(`PURSER_APPROVE_ABOVE: "${entry}" is neither an amount nor CODE:amount`)
    else if (currency !== '*' && !scales.has(currency))
      problems.push(`PURSER_APPROVE_ABOVE: ${currency} is not a currency of this wallet`)
    else if (limits.has(currency))
      problems.push(`PURSER_APPROVE_ABOVE: "${entry}" gives a second amount for the same currency`)
    else limits.set(currency, amount)
  }
  return limits
}
