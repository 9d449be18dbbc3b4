/** The faults of messages, either drawn from the seed or fixed by a list. */
import type { Random } from '@purser/runtime/seeded-random'
import type { MessageFault } from '../run-choices.ts'

export const PARTITIONED: MessageFault = { name: 'partition', arrivals: [] }
export const NO_FAULT: MessageFault = { name: '', arrivals: [20], answerAfter: 20 }

/** Milliseconds: within the caller's time-out, around it, and long after it. */
const drawShortDelay = (random: Random) => random.between(1, 900)
const drawLateDelay = (random: Random) => random.between(4_500, 9_000)
const drawVeryLateDelay = (random: Random) => random.between(15_000, 90_000)

const MESSAGE_FAULTS: readonly ((random: Random) => MessageFault)[] = [
  () => ({ name: 'lost', arrivals: [] }),
  (random) => ({
    name: '400 without it',
    arrivals: [],
    breaks: { after: drawShortDelay(random), proxy: true, status: 400 },
  }),
  (random) => ({ name: 'refused', arrivals: [], breaks: { after: drawShortDelay(random), proxy: false } }),
  (random) => ({ name: 'its answer lost', arrivals: [drawShortDelay(random)] }),
  (random) => ({
    name: 'broken behind its effect',
    arrivals: [drawShortDelay(random)],
    answerAfter: undefined,
    breaks: { after: 1_000 + drawShortDelay(random), proxy: false },
  }),
  (random) => ({
    name: 'twice',
    arrivals: [drawShortDelay(random), drawShortDelay(random)],
    answerAfter: drawShortDelay(random),
  }),
  (random) => ({
    name: 'twice, once late',
    arrivals: [drawShortDelay(random), drawVeryLateDelay(random)],
    answerAfter: drawShortDelay(random),
  }),
  (random) => ({ name: 'late', arrivals: [drawLateDelay(random)], answerAfter: drawShortDelay(random) }),
  (random) => ({ name: 'very late', arrivals: [drawVeryLateDelay(random)], answerAfter: drawShortDelay(random) }),
  (random) => ({ name: 'its answer late', arrivals: [drawShortDelay(random)], answerAfter: drawLateDelay(random) }),
  (random) => ({
    name: 'its answer cut',
    arrivals: [drawShortDelay(random)],
    answerAfter: drawShortDelay(random),
    isCut: true,
  }),
  (random) => ({ name: '502 without it', arrivals: [], breaks: { after: drawShortDelay(random), proxy: true } }),
  (random) => ({
    name: '502 beside it',
    arrivals: [drawShortDelay(random)],
    answerAfter: undefined,
    breaks: { after: drawShortDelay(random), proxy: true },
  }),
]

/** Rare, short faults, for runs that examine more than the network. */
const SHORT_FAULT_CHANCE = 0.12
const SHORT_FAULTS: typeof MESSAGE_FAULTS = [
  () => ({ name: 'lost', arrivals: [] }),
  (random) => ({ name: 'its answer lost', arrivals: [drawShortDelay(random)] }),
  (random) => ({
    name: 'twice',
    arrivals: [drawShortDelay(random), drawShortDelay(random)],
    answerAfter: drawShortDelay(random),
  }),
  (random) => ({
    name: 'broken behind its effect',
    arrivals: [drawShortDelay(random)],
    answerAfter: undefined,
    breaks: { after: 1_000 + drawShortDelay(random), proxy: false },
  }),
]

export function drawShortMessageFault(random: Random): MessageFault {
  if (random.chance(SHORT_FAULT_CHANCE)) return random.pick(SHORT_FAULTS)(random)
  return { name: '', arrivals: [random.between(1, 60)], answerAfter: random.between(1, 60) }
}

const FAULT_CHANCE = 0.45

export function drawMessageFault(random: Random): MessageFault {
  if (!random.chance(FAULT_CHANCE))
    return { name: '', arrivals: [drawShortDelay(random)], answerAfter: drawShortDelay(random) }
  return random.pick(MESSAGE_FAULTS)(random)
}
