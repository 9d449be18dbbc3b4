/** Starts a platform in its own process: `node packages/server/dist/main.js platform`. */
import { asServer } from './database.ts'
import { type PlatformClient, platformClient } from './platform.ts'
import { type ServerProcess, spawnServer } from './server-process.ts'

const KEY = 'the-key-of-the-platform-under-test'

export interface PlatformProcess extends ServerProcess {
  readonly api: PlatformClient
  readonly key: string
}

export async function spawnPlatform(databaseUrl: string, env: Record<string, string> = {}): Promise<PlatformProcess> {
  const settings = {
    HOST: '127.0.0.1',
    PORT: '0',
    PLATFORM_API_KEY: KEY,
    DATABASE_URL: asServer('platform', databaseUrl),
    ...env,
  }
  const server = await spawnServer('platform', settings)
  return { ...server, api: platformClient(server.url, KEY), key: KEY }
}
