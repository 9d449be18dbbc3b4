/**
 * Passwords of people (U-4), kept as scrypt.
 *
 * One hash is computed at a time, on a thread of its own. Passwords that requests show wait in
 * password-queue.ts before they come here. Passwords that are set come here at once, so guesses
 * cannot keep an admin from giving a new one.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { environment } from '../../../../runtime/environment.ts'
import { busy } from '../../http/api/problem-details.ts'

/** 2^15 blocks of 8 times 128 bytes: 32 MiB for each. */
const COST = { N: 32_768, r: 8, p: 1 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32
/** Of memory, with room for what scrypt needs besides. */
const MAX_BYTES = 64 * 1024 * 1024
/** Passwords that are set at once. */
const MAX_HASHES_IN_PROGRESS = 16

export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 256

/** Undefined: the password may be chosen. Else a predicate for the error. */
export function findPasswordFault(password: string, name: string, before: string): string | undefined {
  if (password.length < PASSWORD_MIN || password.length > PASSWORD_MAX)
    return `must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`
  const plain = password.normalize('NFKC').toLowerCase()
  if (name.length > 2 && plain.includes(name)) return 'contains your own name'
  if (/^(.{1,6}?)\1+.{0,5}$/su.test(plain)) return 'repeats the same few characters'
  return password === before ? 'is your current password' : undefined
}

const MADE_BYTES = 15

/** 120 random bits, for one who is to sign in for the first time. */
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

/** Of nobody: takes as long as any other, so that the time says not who is known. */
const DUMMY_HASH = ['scrypt', COST.N, COST.r, COST.p, 'A'.repeat(22), 'A'.repeat(43)].join('$')

/** `storedHash` undefined: false, after the same time. */
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
