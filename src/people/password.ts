/**
 * Passwords of people (U-4), kept as scrypt.
 *
 * One hash is worked out at a time, on a thread of its own. Each address has a queue of its own, and
 * the queues take turns: many guesses from one address delay another address by one hash.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { busy } from '../http/problem.ts'
import { world } from '../runtime/world.ts'

/** 2^15 blocks of 8 times 128 bytes: 32 MiB for each. */
const COST = { N: 32_768, r: 8, p: 1 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32
/** Of memory, with room for what scrypt needs besides. */
const MAX_BYTES = 64 * 1024 * 1024
/** Passwords of one address that may wait, and addresses that may. */
const MAX_WAITING = 8
const MAX_ADDRESSES = 64
/** The queue of passwords that an admin makes. */
const MADE = 'made'

export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 256

/** Undefined: the password may be chosen. Else a predicate for the error. */
export function passwordFault(password: string, name: string, before: string): string | undefined {
  if (password.length < PASSWORD_MIN || password.length > PASSWORD_MAX)
    return `must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`
  const plain = password.normalize('NFKC').toLowerCase()
  if (name.length > 2 && plain.includes(name)) return 'contains your own name'
  if (/^(.{1,6}?)\1+.{0,5}$/su.test(plain)) return 'repeats the same few characters'
  return password === before ? 'is the password that you have' : undefined
}

const MADE_BYTES = 15

/** 120 random bits, for one who is to sign in for the first time. */
export function newPassword(): string {
  return world.bytes(MADE_BYTES).toString('base64url')
}

export async function hashPassword(password: string): Promise<string> {
  const salt = world.bytes(SALT_BYTES)
  const hash = await inLine(MADE, () => derive(password, salt, COST))
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Of nobody: takes as long as any other, so that the time says not who is known. */
const NOBODY = ['scrypt', COST.N, COST.r, COST.p, 'A'.repeat(22), 'A'.repeat(43)].join('$')

/** Runs inside `inLine`. `kept` undefined: false, after the same time. */
export async function isPassword(password: string, kept = NOBODY): Promise<boolean> {
  const [, n = '', r = '', p = '', salt = '', hash = ''] = kept.split('$')
  const cost = { N: Number.parseInt(n, 10), r: Number.parseInt(r, 10), p: Number.parseInt(p, 10) }
  const wanted = Buffer.from(hash, 'base64url')
  const worked = await derive(password, Buffer.from(salt, 'base64url'), cost)
  return wanted.length === worked.length && timingSafeEqual(wanted, worked)
}

interface Queue {
  length: number
  last: Promise<unknown>
}
const queues = new Map<string, Queue>()

/**
 * Runs the work after all earlier work of the same address. Rejects with `busy`, before the work has
 * begun, when too many wait.
 */
export async function inLine<T>(address: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(address) ?? { length: 0, last: Promise.resolve() }
  if (queue.length >= MAX_WAITING || (queue.length === 0 && queues.size >= MAX_ADDRESSES)) throw busy
  queues.set(address, queue)
  queue.length += 1
  const mine = queue.last.then(work).finally(() => {
    queue.length -= 1
    if (queue.length === 0) queues.delete(address)
  })
  queue.last = mine.catch(() => {})
  return mine
}

let last: Promise<unknown> = Promise.resolve()

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  const work = () =>
    new Promise<Buffer>((resolve, reject) =>
      scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { ...cost, maxmem: MAX_BYTES }, (error, key) =>
        error === null ? resolve(key) : reject(error),
      ),
    )
  const mine = last.then(work)
  last = mine.catch(() => {})
  return mine
}
