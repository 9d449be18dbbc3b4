/**
 * Passwords of people (U-4), kept as scrypt. One is worked out at a time, on a thread of its own, and few may wait: whoever tries many at once
 * keeps neither the processor nor the calls of the wire waiting.
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
/** Passwords that wait for their turn. */
const MAX_WAITING = 8

export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 256

const MADE_BYTES = 15

/** 120 random bits, for one who is to sign in for the first time. */
export function newPassword(): string {
  return world.bytes(MADE_BYTES).toString('base64url')
}

export async function hashPassword(password: string): Promise<string> {
  const salt = world.bytes(SALT_BYTES)
  const hash = await inLine(() => derive(password, salt, COST))
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Of nobody: takes as long as any other, so that the time says not who is known. */
const NOBODY = ['scrypt', COST.N, COST.r, COST.p, 'A'.repeat(22), 'A'.repeat(43)].join('$')

/** By whoever has a place in the line. `kept` undefined: false, as slowly. */
export async function isPassword(password: string, kept = NOBODY): Promise<boolean> {
  const [, n = '', r = '', p = '', salt = '', hash = ''] = kept.split('$')
  const cost = { N: Number.parseInt(n, 10), r: Number.parseInt(r, 10), p: Number.parseInt(p, 10) }
  const wanted = Buffer.from(hash, 'base64url')
  const worked = await derive(password, Buffer.from(salt, 'base64url'), cost)
  return wanted.length === worked.length && timingSafeEqual(wanted, worked)
}

let waiting = 0

/** A place in the line for as long as the work takes. Rejects when there is none, and nothing of the work has been done then. */
export async function inLine<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= MAX_WAITING) throw busy
  waiting += 1
  return work().finally(() => {
    waiting -= 1
  })
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
