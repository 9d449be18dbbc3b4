/** A partner's or operator's address and secrets, tried with a call that can change nothing, before they are relied on. */
import { type Static, Type } from 'typebox'
import type { Reach } from '../protocol/base-url.ts'
import { REPLY_CODES } from '../protocol/codes.ts'
import type { Part } from '../runtime/version.ts'
import { world } from '../runtime/world.ts'
import { createWalletClient, type WalletTarget } from './wallet-client.ts'

export const TriedSchema = Type.Object(
  {
    signature: Type.Enum(['accepted', 'refused', 'unknown'], {
      description: 'refused: code 1, most likely another secret. unknown: no usable answer.',
    }),
    httpStatus: Type.Optional(Type.Integer()),
    code: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.String()),
  },
  { description: 'What was answered to User data with a token that nobody has, signed with the first secret.' },
)
type Tried = Static<typeof TriedSchema>

export const triedMembers = {
  tried: TriedSchema,
  triedOthers: Type.Optional(
    Type.Array(TriedSchema, {
      description: 'Of the other secrets, in their order (C-13). Absent when there are none.',
    }),
  ),
  warning: Type.Optional(
    Type.String({ description: 'When the change has dropped all secrets of before: what that can cost (C-13).' }),
  ),
}

const DROPPED =
  'no secret of before is left: processes that have not read the new one yet, for up to 5 s, sign with the old one, which is refused (400, code 1), and a platform sends no Rollback again by itself that is refused so; give both while a secret rotates, the new one first'

/** What a change of secrets answers besides; `before`: those that it has replaced, undefined when there were none. */
export function warningOf(before: readonly string[] | undefined, secrets: readonly string[]) {
  return before === undefined || before.some((secret) => secrets.includes(secret)) ? {} : { warning: DROPPED }
}

type TriedAddress = Pick<WalletTarget, 'baseUrl' | 'secrets' | 'connection'>

/** Within the 5 s of a call, all at once. */
export async function trySecrets({ secrets, ...address }: TriedAddress, reach: Reach, part: Part) {
  const tries = secrets.map((secret) => trySecret({ ...address, secrets: [secret], reach, part }))
  const [tried, ...triedOthers] = await Promise.all(tries)
  if (tried === undefined) throw new Error('there is no secret to be tried')
  return { tried, ...(triedOthers.length > 0 && { triedOthers }) }
}

/** Asks for a profile by a token that nobody has: only a wallet that knows the secret looks at the token. */
async function trySecret(address: WalletTarget): Promise<Tried> {
  const client = createWalletClient({ ...address, connections: 1 })
  try {
    const body = JSON.stringify({ token: `nobody-${world.uuid()}`, requestId: world.uuid() })
    const { outcome, status } = await client.call('profile', body)
    const httpStatus = status === null ? {} : { httpStatus: status }
    if (outcome.kind === 'unknown')
      return { signature: 'unknown', ...httpStatus, error: `${outcome.reason}: ${outcome.detail}` }
    if (outcome.kind === 'accepted') return { signature: 'accepted', ...httpStatus }
    const { code, message: error } = outcome
    // A wallet's own failure says nothing about the signature.
    const signature =
      code === REPLY_CODES.bad_signature.code
        ? 'refused'
        : code === REPLY_CODES.system_error.code
          ? 'unknown'
          : 'accepted'
    return { signature, ...httpStatus, code, error }
  } finally {
    await client.close()
  }
}
