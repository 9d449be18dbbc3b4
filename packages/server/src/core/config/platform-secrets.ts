/**
 * Parser for PARTNER_SECRETS, the secrets of named platforms (W-43). Messages never show a secret.
 */

import { findSecretFault } from '@purser/protocol/values/secret-text'
import { PLATFORM_NAME } from '@purser/protocol/wire-ids'

export interface PlatformSecret {
  readonly platform: string
  readonly value: string
}

const PART = new RegExp(`^(${PLATFORM_NAME}):(.+)$`)
/** A signature is checked with each secret in turn. */
const MAX_SECRETS = 32

export function readPlatformSecrets(text: string, unnamed: readonly string[], problems: string[]): PlatformSecret[] {
  const parts = text === '' ? [] : text.split(',').map((part) => PART.exec(part.trim()))
  const wrong = parts.indexOf(null)
  if (wrong !== -1)
    problems.push(
      `part ${wrong + 1} of PARTNER_SECRETS, between its commas, is not NAME:SECRET, with a name as in acme-bets`,
    )
  if (parts.length > MAX_SECRETS) problems.push(`PARTNER_SECRETS has more than ${MAX_SECRETS} secrets`)
  const secrets = parts.flatMap((part) =>
    part === null ? [] : [{ platform: part[1] as string, value: part[2] as string }],
  )
  const owner = new Map(unnamed.map((secret) => [secret, 'PARTNER_SECRET']))
  for (const { platform, value } of secrets) {
    const fault = findSecretFault(value)
    if (fault !== undefined) problems.push(`a secret of ${platform} in PARTNER_SECRETS ${fault}`)
    const other = owner.get(value)
    if (other !== undefined)
      problems.push(
        `a secret of ${platform} in PARTNER_SECRETS is also a secret of ${other}: give each platform its own secret`,
      )
    owner.set(value, platform)
  }
  return secrets
}
