// Every member of every wire message, with its invalid JSON texts (interface.md, Resources; M-1).
export type MessageName = 'place' | 'settle' | 'cashout' | 'unsettle' | 'rollback' | 'profile' | 'balance' | 'check'

interface MemberRule {
  name: string
  required?: true
  nullable?: true
  /** Values as they appear in the JSON text. */
  wrong: string[]
}

const quoted = (text: string) => JSON.stringify(text)

/** More digits than a double can hold; it must not be read as a text. */
const LONG_NUMBER = '12345678901234567890'

/**
 * Values that are invalid for every string member: other types, and texts that cannot be stored and
 * compared as received (I-7).
 */
function notText(length: number): string[] {
  const filling = 'x'.repeat(length - 2)
  const unstorable = [`"\\u0000x${filling}"`, `"x${filling}\\u0000"`, `"\\ud800x${filling}"`, `"x${filling}\\udc00"`]
  return ['1', LONG_NUMBER, 'true', '[]', '{}', '["x"]', ...unstorable]
}

function text(name: string, shortest: number, longest: number): MemberRule {
  const lengths = [quoted('x'.repeat(shortest - 1)), quoted('x'.repeat(longest + 1)), quoted('x'.repeat(10_000))]
  return { name, wrong: [...notText(Math.max(shortest, 2)), ...lengths] }
}

function oneOf(name: string, ...near: string[]): MemberRule {
  return { name, wrong: ['1', 'true', '[]', '{}', '""', '"__proto__"', '"toString"', ...near.map(quoted)] }
}

const notNumbers = ['"12.12"', '"NaN"', '"1"', '""', 'true', 'false', '[]', '{}', '[1]', '{"value":1}']
/** A body with one of these is not JSON and thus invalid as a whole. */
const noJson = ['NaN', 'Infinity', '-Infinity', '+1', '01', '1.', '.5', '0x10', '1_000', '1e', "'1'", 'undefined']
const extremes = ['1e400', '-1e400', '1e308', '1e300', '1e-400', '-1e-400', '1e999999999999']
const negativeZeros = ['-0', '-0.0', '-0e5']
const negatives = ['-1', '-0.01', '-1e2', '-1e-3', ...negativeZeros]
const zeros = '0'.repeat(16)
const tooManyDigits = [
  ...['1234567890123456', '12345678901234.56', '1.2345678901234567', '12345678901234567', '0.1234567890123456'],
  ...['99999999999999999999', `1.${zeros}1`, `1${zeros}1e-17`],
]

/**
 * As a double each of these becomes an integer that was not written, for example 1, 2, 3, 8 or 0.
 */
const nearIntegers = [
  ...['1', '2', '3', '8', '0'].map((digit) => `${digit}.${zeros}1`),
  ...['7.99999999999999999', `1${zeros}1e-17`, '12345678901234567', '1e23'],
]
const notIntegers = ['"1"', '1.5', '1e-9', 'true', '[]', '{}', '""', '-0', '-0.0', '-0e5', ...extremes, ...nearIntegers]

const required = (rule: MemberRule): MemberRule => ({ ...rule, required: true })
const nullable = (rule: MemberRule): MemberRule => ({ ...rule, nullable: true })

const requestId = required(text('requestId', 10, 64))
const transactionId = required(text('transactionId', 10, 36))
const userId = required(text('userId', 1, 64))
const token = text('token', 10, 64)
const operatorUser: MemberRule = {
  name: 'operatorUser',
  wrong: [...notText(8), '""', quoted('x'.repeat(65)), '"a b"', '"a/b"', '"a\\n"', '"caf\u00e9"', '"a@b"'],
}
const currency: MemberRule = {
  name: 'currency',
  wrong: [...notText(3), '""', '"EU"', '"EUROPE"', '"eur"', '" EUR"', '"E\u20acR"'],
}

const amount: MemberRule = {
  name: 'amount',
  wrong: [...notNumbers, ...noJson, ...extremes, ...negatives, ...tooManyDigits],
}
/** An amount that moves money; its decimals must also fit the currency (M-2). */
const stake = required({ ...amount, wrong: [...amount.wrong, '1e-9', '0.001', '10.005', '1e-3'] })
/** A payout of -0 is 0 (D-3). */
const payout = { ...stake, wrong: stake.wrong.filter((value) => !negativeZeros.includes(value)) }

const factor = (name: string): MemberRule => ({
  name,
  wrong: [...notNumbers, '1e400', '-1e400', '1e-400', '-1', '0', '-0'],
})
const bonusId = nullable({ name: 'bonusId', wrong: notIntegers })
const described: MemberRule[] = [
  factor('coefficient'),
  factor('boosterCoefficient'),
  oneOf('gameType', 'Sportsbook', 'casino', 'sportsbook '),
  oneOf('ticketType', 'Single', 'system', 'single\u0000'),
  nullable({ name: 'bonusTemplateId', wrong: notIntegers }),
]
const bonusAmount = nullable({
  name: 'bonusAmount',
  wrong: [...notNumbers, ...extremes, ...negatives, ...tooManyDigits],
})

function type(...others: string[]): MemberRule {
  return {
    name: 'type',
    required: true,
    wrong: ['"2"', '"3"', '0', '4', '-1', '[1]', ...notIntegers, ...others],
  }
}

const items = ['1', '"x"', 'null', '[]', 'true']
const itemMembers = [
  ...['"2.5"', 'true', '0', '-1', '1e400', '1e-400', '-0', '[]', 'null'].map((value) => `"coefficient":${value}`),
  ...notIntegers.map((value) => `"stage":${value}`),
  ...['1', 'true', '[]', '"2031-05-16T18:00:00Z"', '"tomorrow"', '""'].map((value) => `"eventDate":${value}`),
  ...['discipline', 'tournament', 'event', 'market', 'outcome'].map((name) => `"${name}":{}`),
  ...['disciplineId', 'tournamentId', 'eventId', 'marketId', 'outcomeId'].map((name) => `"${name}":[]`),
]
const metadata: MemberRule = {
  name: 'metadata',
  wrong: [
    '1',
    '"x"',
    '{}',
    'true',
    '{"0":{}}',
    ...items.map((item) => `[${item}]`),
    ...itemMembers.map((member) => `[{},{${member}}]`),
  ],
}

const placeOnly: MemberRule[] = [
  {
    name: 'ip',
    wrong: ['1', 'true', '[]', '""', '"nowhere"', '"999.1.1.1"', '"1.2.3"', '"1.2.3.4 "', '"::g"', '"1.2.3.4/8"'],
  },
  { name: 'info', wrong: ['1', LONG_NUMBER, 'true', '[]', '{}'] },
  nullable({ name: 'subPartnerId', wrong: ['1', LONG_NUMBER, 'true', '[]', '{}'] }),
  metadata,
  bonusAmount,
]

const resultType = required(oneOf('resultType', 'win', 'WON', 'won ', 'void', 'constructor'))
const errorCode: MemberRule = {
  name: 'errorCode',
  required: true,
  wrong: ['"8"', '8.5', '2147483648', '-2147483649', ...notIntegers],
}

const ids = [requestId, transactionId, userId, operatorUser]

export const rules: Record<MessageName, MemberRule[]> = {
  place: [...ids, type('2', '3'), required(token), stake, required(currency), bonusId],
  settle: [...ids, type(), payout, required(currency), resultType],
  cashout: [...ids, type(), required(token), payout, required(currency), resultType],
  unsettle: [...ids, type(), currency],
  rollback: [...ids, type(), currency, errorCode],
  profile: [required(token), requestId, operatorUser],
  balance: [required(token), requestId, userId, required(currency), operatorUser],
  check: [transactionId, userId, operatorUser],
}

/**
 * Members that decide nothing in a message, stored or not. No value of theirs causes a rejection
 * (W-3, W-21).
 */
const description = [bonusId, ...described, bonusAmount]
export const unused: Partial<Record<MessageName, MemberRule[]>> = {
  place: [...described, ...placeOnly],
  settle: [token, ...description],
  cashout: description,
  unsettle: [token, amount, ...description],
  rollback: [token, amount, ...description],
}

export interface BrokenMember {
  name: string
  /** The member's JSON text; undefined means a missing member. */
  value: string | undefined
}

export function brokenMembers(message: MessageName): BrokenMember[] {
  return broken(rules[message])
}

/** Only JSON texts, because any other text breaks the whole message. */
export function unusedMembers(message: MessageName): BrokenMember[] {
  return broken(unused[message] ?? []).filter(({ value }) => value === undefined || !noJson.includes(value))
}

function broken(list: MemberRule[]): BrokenMember[] {
  return list.flatMap(({ name, required: must, nullable: mayBeNull, wrong }) => {
    const absent = [...(must ? [undefined] : []), ...(mayBeNull ? [] : ['null'])]
    return [...absent, ...wrong].map((value) => ({ name, value }))
  })
}
