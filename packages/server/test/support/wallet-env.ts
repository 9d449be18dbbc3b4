import { randomBytes } from 'node:crypto'

/** The settings of a wallet under test, and the secrets of its callers. */
export interface WalletEnv {
  env: Record<string, string>
  /** The signing secret: the first one if several are valid (S-3). */
  secret: string
  operatorKey: string
}

export function walletEnv(settings: Record<string, string | undefined>): WalletEnv {
  const env: Record<string, string> = {
    HOST: '127.0.0.1',
    PORT: '0',
    PARTNER_SECRET: randomBytes(16).toString('hex'),
    OPERATOR_API_KEY: randomBytes(16).toString('hex'),
  }
  for (const [name, value] of Object.entries(settings)) if (value !== undefined) env[name] = value
  return { env, secret: env.PARTNER_SECRET?.split(',')[0] ?? '', operatorKey: env.OPERATOR_API_KEY ?? '' }
}
