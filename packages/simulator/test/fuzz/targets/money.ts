/**
 * Fuzzes the conversion of decimals to minor units and back. The reference is exact arithmetic on
 * the digits (M-1, M-2, W-3).
 */
import { parseJson } from '@purser/protocol/values/exact-json'
import * as real from '@purser/protocol/values/money'
import type { Chance } from '../chance.ts'
import { type Parts, textParts } from '../corpus.ts'
import { exactOf, isHeld, readJsonNode, unitsOf } from '../lossless.ts'
import { mutateBytes, NUMBERS } from '../mutate.ts'
import { firstOf, type Target, textOf } from '../target.ts'
import { isAmount } from './decode-reference.ts'

const SEEDS = NUMBERS.map((text) => textParts({ text, scale: '2', limit: '100.5', units: '1210' }))

export const CODE = { ...real, parseJson }

export function moneyTarget(code: typeof CODE = CODE): Target {
  return { name: 'money', seeds: SEEDS, mutate, grows: ['text'], judge: (parts) => judge(parts, code) }
}

const digits = (chance: Chance, most: number) =>
  Array.from({ length: 1 + chance.below(most) }, () => chance.below(chance.oneIn(2) ? 2 : 10)).join('')

function mutate(chance: Chance, parts: Parts): Parts {
  const text = chance.oneIn(3) ? mutateBytes(chance, parts.text ?? Buffer.alloc(0)) : Buffer.from(decimal(chance))
  const limit = digits(chance, 12) + (chance.oneIn(2) ? `.${digits(chance, 12)}` : '')
  const units = `${chance.oneIn(3) ? '-' : ''}${digits(chance, 18)}`
  return { text, ...textParts({ scale: String(chance.below(real.MAX_SCALE + 1)), limit, units }) }
}

function decimal(chance: Chance): string {
  if (chance.oneIn(4)) return chance.pick(NUMBERS)
  const whole = chance.oneIn(4) ? '0' : digits(chance, 19)
  const fraction = chance.oneIn(2) ? `.${digits(chance, 14)}` : ''
  const power = chance.oneIn(3)
    ? `${chance.pick(['e', 'E'])}${chance.pick(['', '-', '+'])}${chance.below(chance.oneIn(9) ? 999 : 25)}`
    : ''
  return `${chance.oneIn(9) ? '-' : ''}${whole}${fraction}${power}`
}

interface MoneyInput {
  readonly text: string
  readonly scale: number
  readonly limit: string
  readonly units: bigint
}

function judge(parts: Parts, code: typeof CODE): string | undefined {
  const scale = Math.min(real.MAX_SCALE, Math.max(0, Number.parseInt(textOf(parts, 'scale'), 10) || 0))
  const limit = /^\d+(\.\d+)?$/.test(textOf(parts, 'limit')) ? textOf(parts, 'limit') : '0'
  const units = /^-?\d{1,18}$/.test(textOf(parts, 'units')) ? BigInt(textOf(parts, 'units')) : 0n
  const given = { text: textOf(parts, 'text'), scale, limit, units }
  return firstOf([ofText(given, code), ofNumber(given, code), ofUnits(given, code), ofLimit(given, code)])
}

/** `parseDecimal` accepts digits, a point and digits, and a power of up to three digits. */
function ofText({ text, scale }: MoneyInput, code: typeof CODE): string | undefined {
  const isDecimal = /^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$/.test(text) && !text.endsWith('\n')
  const wanted = isDecimal ? unitsOf(text, scale) : undefined
  const got = code.parseDecimal(text, scale)
  return got === wanted
    ? undefined
    : `a decimal is another amount: ${text} with ${scale} places is ${got}, not ${wanted}`
}

/** An amount on the wire is read from the double of JSON.parse, where that is exact. */
function ofNumber({ text, scale }: MoneyInput, code: typeof CODE): string | undefined {
  const node = readJsonNode(text)
  if (node?.kind !== 'number') return undefined
  const { written } = node
  const [held, exact] = [
    code.isExactDouble(written),
    code.isExactNumber(written) && isHeld(written) && !written.startsWith('-'),
  ]
  const { amount } = code.parseJson(`{"amount":${written}}`) as { amount: unknown }
  const got = typeof amount === 'number' ? code.parseWireAmount(amount, scale) : undefined
  const wanted = isAmount(written) ? unitsOf(written, scale) : undefined
  return firstOf([
    held !== isHeld(written) && `held by a double: ${written} ${held ? 'is not' : 'is'}`,
    exact !== isAmount(written) && `exact: ${written} ${exact ? 'is not' : 'is'}`,
    got !== wanted && `an amount of the wire is another one: ${written} with ${scale} places is ${got}, not ${wanted}`,
  ])
}

function ofUnits({ units, scale }: MoneyInput, code: typeof CODE): string | undefined {
  const text = code.formatMoney(real.money(units), scale)
  const short = code.formatShortest(real.money(units), scale)
  const isShaped = scale === 0 ? /^-?\d+$/.test(text) : new RegExp(`^-?\\d+\\.\\d{${scale}}$`).test(text)
  return firstOf([
    !isShaped && `written with other places: ${text} has not ${scale}`,
    minorUnitsOf(text, scale) !== units && `written as another amount: ${units} with ${scale} places as ${text}`,
    minorUnitsOf(short, scale) !== units && `shortened to another amount: ${units} with ${scale} places to ${short}`,
    /\.\d*0$/.test(short) && `not the shortest: ${short}`,
    code.parseWireBalance(text, scale) !== units && `a balance is read as another one: ${text}`,
  ])
}

function minorUnitsOf(text: string, scale: number): bigint {
  const { isNegative, digits, exponent } = exactOf(text)
  const value = digits === '' ? 0n : BigInt(digits) * 10n ** (exponent + BigInt(scale))
  return isNegative ? -value : value
}

function ofLimit({ units, scale, limit }: MoneyInput, code: typeof CODE): string | undefined {
  const { digits, exponent } = exactOf(limit)
  const places = 40n
  const wanted =
    units * 10n ** (places - BigInt(scale)) > BigInt(digits === '' ? 0 : digits) * 10n ** (places + exponent)
  const got = code.isAboveLimit(units, scale, limit)
  return got === wanted ? undefined : `above a limit: ${units} with ${scale} places and ${limit}: ${got}`
}
