/** What the network does with messages: drawn by seed, or the same for all. */
import type { Random } from '../../runtime/random.ts'
import type { Fate } from './choices.ts'

export const PARTITIONED: Fate = { name: 'partition', arrivals: [] }
export const PLAIN: Fate = { name: '', arrivals: [20], back: 20 }

/** Milliseconds: within the caller's patience, a little behind it, and far behind it. */
const soon = (random: Random) => random.between(1, 900)
const late = (random: Random) => random.between(4_500, 9_000)
const veryLate = (random: Random) => random.between(15_000, 90_000)

const FATES: readonly ((random: Random) => Fate)[] = [
  () => ({ name: 'lost', arrivals: [] }),
  (random) => ({ name: '400 without it', arrivals: [], breaks: { after: soon(random), proxy: true, says: 400 } }),
  (random) => ({ name: 'refused', arrivals: [], breaks: { after: soon(random), proxy: false } }),
  (random) => ({ name: 'its answer lost', arrivals: [soon(random)] }),
  (random) => ({
    name: 'broken behind its effect',
    arrivals: [soon(random)],
    back: undefined,
    breaks: { after: 1_000 + soon(random), proxy: false },
  }),
  (random) => ({ name: 'twice', arrivals: [soon(random), soon(random)], back: soon(random) }),
  (random) => ({ name: 'twice, once late', arrivals: [soon(random), veryLate(random)], back: soon(random) }),
  (random) => ({ name: 'late', arrivals: [late(random)], back: soon(random) }),
  (random) => ({ name: 'very late', arrivals: [veryLate(random)], back: soon(random) }),
  (random) => ({ name: 'its answer late', arrivals: [soon(random)], back: late(random) }),
  (random) => ({ name: 'its answer cut', arrivals: [soon(random)], back: soon(random), isCut: true }),
  (random) => ({ name: '502 without it', arrivals: [], breaks: { after: soon(random), proxy: true } }),
  (random) => ({
    name: '502 beside it',
    arrivals: [soon(random)],
    back: undefined,
    breaks: { after: soon(random), proxy: true },
  }),
]

/** Where there is more to be seen than the network: soon over, and seldom. */
const SHORT_FAULTY = 0.12
const SHORT: typeof FATES = [
  () => ({ name: 'lost', arrivals: [] }),
  (random) => ({ name: 'its answer lost', arrivals: [soon(random)] }),
  (random) => ({ name: 'twice', arrivals: [soon(random), soon(random)], back: soon(random) }),
  (random) => ({
    name: 'broken behind its effect',
    arrivals: [soon(random)],
    back: undefined,
    breaks: { after: 1_000 + soon(random), proxy: false },
  }),
]

export function drawShortFate(random: Random): Fate {
  if (random.chance(SHORT_FAULTY)) return random.pick(SHORT)(random)
  return { name: '', arrivals: [random.between(1, 60)], back: random.between(1, 60) }
}

const FAULTY = 0.45

export function drawFate(random: Random): Fate {
  if (!random.chance(FAULTY)) return { name: '', arrivals: [soon(random)], back: soon(random) }
  return random.pick(FATES)(random)
}
