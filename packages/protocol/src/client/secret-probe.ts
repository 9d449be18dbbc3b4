/**
 * Test call to the wallet of a new partner or operator, before the address and the secrets are
 * used. The call changes nothing.
 */

import { environment } from '@purser/runtime/environment'
import type { UserAgentPart } from '@purser/runtime/version'
import { type Static, Type } from 'typebox'
import { REPLY_CODES } from '../reply-codes.ts'
import type { Reach } from '../values/base-url.ts'
import { createWalletClient, type WalletClientOptions } from './wallet-client.ts'

export const ProbeResultSchema = Type.Object(
  {
    signature: Type.Enum(['accepted', 'refused', 'unknown'], {
      description:
        '`refused` means code 1, which usually means another secret. `unknown` means that no usable answer arrived.',
    }),
    httpStatus: Type.Optional(Type.Integer()),
    code: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.String()),
  },
  { description: 'The answer to User data with an unknown token, signed with the first secret.' },
)
type ProbeResult = Static<typeof ProbeResultSchema>

export const probeMembers = {
  tried: ProbeResultSchema,
  otherProbes: Type.Optional(
    Type.Array(ProbeResultSchema, {
      description:
        'The answers for the other secrets, in their order (C-13). It is absent if the partner has only one secret.',
    }),
  ),
  warning: Type.Optional(
    Type.String({ description: 'A warning of the risk, if the change has removed all earlier secrets (C-13).' }),
  ),
}

const ALL_SECRETS_DROPPED =
  'no secret of before is left: processes that have not read the new one yet, for up to 5 s, sign with the old one, which is refused (400, code 1), and a platform sends no Rollback again by itself that is refused so; give both while a secret rotates, the new one first'

/**
 * The warning for a change that removes every earlier secret. `before`: undefined for a new
 * partner.
 */
export function toRotationWarning(before: readonly string[] | undefined, secrets: readonly string[]) {
  return before === undefined || before.some((secret) => secrets.includes(secret))
    ? {}
    : { warning: ALL_SECRETS_DROPPED }
}

type TriedAddress = Pick<WalletClientOptions, 'baseUrl' | 'secrets' | 'connection'>

/** Tests all secrets in parallel, within the 5 s of one call. */
export async function probeSecrets({ secrets, ...address }: TriedAddress, reach: Reach, part: UserAgentPart) {
  const tries = secrets.map((secret) => probeSecret({ ...address, secrets: [secret], reach, part }))
  const [tried, ...otherProbes] = await Promise.all(tries)
  if (tried === undefined) throw new Error('there is no secret to be tried')
  return { tried, ...(otherProbes.length > 0 && { otherProbes }) }
}

/**
 * Requests a profile with an unknown token. Only a wallet that accepts the signature reads the
 * token.
 */
async function probeSecret(address: WalletClientOptions): Promise<ProbeResult> {
  const client = createWalletClient({ ...address, connections: 1 })
  try {
    const body = JSON.stringify({ token: `nobody-${environment.uuid()}`, requestId: environment.uuid() })
    const { outcome, status } = await client.call('profile', body)
    const httpStatus = status === null ? {} : { httpStatus: status }
    if (outcome.kind === 'unknown')
      return { signature: 'unknown', ...httpStatus, error: `${outcome.reason}: ${outcome.detail}` }
    if (outcome.kind === 'accepted') return { signature: 'accepted', ...httpStatus }
    const { code, message: error } = outcome
    // Code 100 is a failure of the wallet, so the signature remains unverified.
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
