/** The secrets of a partner or operator in our APIs: one, or several during a rotation (C-13). */
import { Type } from 'typebox'
import { invalid } from '../http/api/problem-details.ts'

/** A call may try each secret within its 5 s (C-13). */
const MAX_SECRETS = 4
const MAX_SECRET_LENGTH = 1_000

const Secret = Type.String({ minLength: 1, maxLength: MAX_SECRET_LENGTH })

export const secretMembers = {
  secret: Type.Optional({ ...Secret, description: 'The shared secret, which signs every call (S-1).' }),
  secrets: Type.Optional(
    Type.Array(Secret, {
      minItems: 1,
      maxItems: MAX_SECRETS,
      uniqueItems: true,
      description:
        'The secrets during a rotation, instead of `secret`. The first one signs. If its signature is rejected, the next one signs (C-13).',
    }),
  ),
}

interface SecretMembers {
  readonly secret?: string
  readonly secrets?: readonly string[]
}

/** Undefined if the body has neither member. */
export function readSecrets({ secret, secrets }: SecretMembers): readonly string[] | undefined {
  if (secret !== undefined && secrets !== undefined) throw invalid('/secrets', 'replaces secret: give only one of both')
  return secret === undefined ? secrets : [secret]
}

export function requireSecrets(body: SecretMembers): readonly string[] {
  const secrets = readSecrets(body)
  if (secrets === undefined) throw invalid('/secret', 'or secrets is required')
  return secrets
}
