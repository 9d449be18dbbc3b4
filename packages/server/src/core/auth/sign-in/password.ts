/**
 * Hashes of the users' passwords (U-4), by scrypt.
 *
 * One hash is computed at a time, in a thread of its own. Password checks first wait in the queue
 * of password-queue.ts. New passwords skip this queue, so guesses cannot prevent an admin from
 * setting one.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { environment } from '@purser/runtime/environment'
import { busy } from '../../http/api/problem-details.ts'

/** 2^15 blocks of 8 × 128 bytes: 32 MiB for a hash. */
const COST = { N: 32_768, r: 8, p: 1 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32
/** Memory limit; scrypt needs more than its blocks. */
const MAX_BYTES = 64 * 1024 * 1024
/** New passwords that may wait. */
const MAX_HASHES_IN_PROGRESS = 16

export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 256

/** Undefined: the password is acceptable. Otherwise a predicate for the error. */
export function findPasswordFault(password: string, name: string, before: string): string | undefined {
  if (password.length < PASSWORD_MIN || password.length > PASSWORD_MAX)
    return `must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`
  const plain = password.normalize('NFKC').toLowerCase()
  if (name.length > 2 && plain.includes(name)) return 'contains your own name'
  if (/^(.{1,6}?)\1+.{0,5}$/su.test(plain)) return 'repeats the same few characters'
  return password === before ? 'is your current password' : undefined
}

const MADE_BYTES = 15

/** Contains 120 random bits. */
export function generatePassword(): string {
  return environment.randomBytes(MADE_BYTES).toString('base64url')
}

let hashesInProgress = 0

export async function hashPassword(password: string): Promise<string> {
  if (hashesInProgress >= MAX_HASHES_IN_PROGRESS) throw busy
  hashesInProgress += 1
  const salt = environment.randomBytes(SALT_BYTES)
  const hash = await deriveKey(password, salt, COST).finally(() => {
    hashesInProgress -= 1
  })
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Belongs to no user. Its check takes as long, so the time does not reveal existing names. */
const DUMMY_HASH = ['scrypt', COST.N, COST.r, COST.p, 'A'.repeat(22), 'A'.repeat(43)].join('$')

/** Without `storedHash` the result is false, after the same time. */
export async function verifyPassword(password: string, storedHash = DUMMY_HASH): Promise<boolean> {
  const [, n = '', r = '', p = '', salt = '', hash = ''] = storedHash.split('$')
  const cost = { N: Number.parseInt(n, 10), r: Number.parseInt(r, 10), p: Number.parseInt(p, 10) }
  const expected = Buffer.from(hash, 'base64url')
  const derived = await deriveKey(password, Buffer.from(salt, 'base64url'), cost)
  return expected.length === derived.length && timingSafeEqual(expected, derived)
}

let last: Promise<unknown> = Promise.resolve()

function deriveKey(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
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
