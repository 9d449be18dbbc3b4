/**
 * Table of the settings that come from environment variables. The code that reads and checks
 * settings uses this table, and so do `--help` and the reference in docs.
 */
import { SERVER_READERS, type Setting, type SettingReader } from './setting.ts'
import { TRACE_SETTINGS } from './trace-settings.ts'

export type { Setting, SettingReader } from './setting.ts'

export const SETTINGS = [
  { name: 'HOST', readBy: SERVER_READERS, default: '127.0.0.1', meaning: 'Address to listen on.', example: '0.0.0.0' },
  {
    name: 'PORT',
    readBy: SERVER_READERS,
    meaning:
      'TCP port to listen on, 0 for any free one; default: wallet and sandbox 8080, platform 8081, gateway 8082.',
    example: '9000',
  },
  {
    name: 'DATABASE_URL',
    meaning: 'Postgres to use; without it the embedded PGlite in PURSER_DATA_DIR.',
    example: 'postgres://purser@db:5432/purser',
    secret: true,
  },
  {
    name: 'PURSER_PLAIN_DATABASE',
    default: 'auto',
    meaning:
      'Connections without TLS to Postgres on another machine: `allow`, `refuse`, or `auto`: refused in production only. Unix sockets and this machine are always allowed.',
    example: 'allow',
  },
  {
    name: 'PURSER_DURABILITY',
    default: 'server',
    meaning:
      'Source of durability: `server`, whose `fsync` and `full_page_writes` must be on, or `storage`: a hosted database that has them off, because its storage keeps each commit.',
    example: 'storage',
  },
  {
    name: 'PURSER_DATA_DIR',
    default: '.purser',
    meaning: 'Folder of the embedded database and of generated keys; `memory://` keeps nothing.',
    example: '/var/lib/purser',
  },
  {
    name: 'PARTNER_SECRET',
    readBy: ['wallet', 'gateway'],
    meaning:
      'Secret shared with the platform; several, comma-separated, while rotating. If it is not set, a value is generated and kept, except in production.',
    example: 'new-secret,old-secret',
    secret: true,
  },
  {
    name: 'PARTNER_SECRETS',
    readBy: ['wallet'],
    meaning:
      'Secrets of several platforms that call one wallet: NAME:SECRET, comma-separated; during rotation a name is repeated with its next secret. PARTNER_SECRET may be set as well, for one platform without a name (W-43).',
    example: 'acme:…,best-bets:…',
    secret: true,
  },
  {
    name: 'OPERATOR_API_KEY',
    readBy: ['wallet'],
    meaning: 'Bearer key of the operator API. If it is not set, a value is generated and kept, except in production.',
    example: 'a-long-random-text',
    secret: true,
  },
  {
    name: 'PLATFORM_API_KEY',
    readBy: ['platform'],
    meaning: 'Bearer key of the platform API. If it is not set, a value is generated and kept, except in production.',
    example: 'another-long-random-text',
    secret: true,
  },
  {
    name: 'GATEWAY_API_KEY',
    readBy: ['gateway'],
    meaning: 'Bearer key of the gateway API. If it is not set, a value is generated and kept, except in production.',
    example: 'a-third-long-random-text',
    secret: true,
  },
  {
    name: 'PURSER_ENCRYPTION_KEY',
    readBy: ['wallet', 'platform', 'gateway'],
    meaning:
      'Encrypts the secrets of partners, operators and webhooks in the database: 64 hexadecimal digits; several, comma-separated, while rotating: the first encrypts, all read. In production a platform and a gateway need it. A wallet needs it only to encrypt the secrets of webhooks.',
    example: 'the output of: openssl rand -hex 32',
    secret: true,
  },
  {
    name: 'PURSER_CLAWBACK',
    readBy: ['wallet', 'tool'],
    default: 'refuse',
    meaning: 'Rule for money to take back that the player has spent: `refuse` (400, code 21) or `allow-negative`.',
    example: 'allow-negative',
  },
  {
    name: 'PURSER_RESETTLE_WINDOW',
    readBy: ['wallet', 'tool'],
    meaning: 'Days after which a settlement can no longer be changed (400, code 20); default: no limit.',
    example: '30',
  },
  {
    name: 'PURSER_FREEBET_STAKE',
    readBy: ['wallet', 'tool'],
    default: 'player',
    meaning: 'Payer of the stake of a bet with a `bonusId` above 0: `player` or `promotions`.',
    example: 'promotions',
  },
  {
    name: 'PURSER_CURRENCIES',
    readBy: ['wallet', 'platform', 'tool'],
    meaning: 'Currencies in addition to ISO 4217, and finer scales: CODE:decimals, comma-separated.',
    example: 'USDT:6,BTC:8,USD:4',
  },
  {
    name: 'PURSER_PROCESSES',
    readBy: SERVER_READERS,
    default: '1',
    meaning:
      'Processes that serve the port together, 1–64; for machines with several cores. SIGHUP restarts them, one after another. Not with the embedded database.',
    example: '4',
  },
  {
    name: 'PURSER_BUCKETS',
    readBy: ['wallet'],
    meaning:
      'Number of buckets, 1–1024; fixed when the database is created. Default: the number of the database, 1 for a new one.',
    example: '8',
  },
  {
    name: 'PURSER_BEHIND_AGGREGATOR',
    readBy: ['wallet', 'tool'],
    default: 'false',
    meaning: 'Players are named by `operatorUser` where a call carries it.',
    example: 'true',
  },
  {
    name: 'PURSER_SHARED_BETS',
    readBy: ['wallet', 'tool'],
    default: 'false',
    meaning:
      '`true`: platforms share the ids of bets, and each may settle and roll back the bets of another platform (W-43).',
    example: 'true',
  },
  {
    name: 'PURSER_PRIVATE_ADDRESSES',
    readBy: ['wallet', 'platform', 'gateway'],
    default: 'auto',
    meaning:
      'Addresses of partners, operators and webhooks in a private or reserved network or on this machine: `allow`, `refuse`, or `auto`: refused in production only.',
    example: 'allow',
  },
  {
    name: 'PURSER_PLAIN_HTTP',
    readBy: ['wallet', 'platform', 'gateway'],
    default: 'auto',
    meaning:
      'Addresses of partners, operators and webhooks that begin with http://: `allow`, `refuse`, or `auto`: refused in production only.',
    example: 'allow',
  },
  {
    name: 'PURSER_TRUSTED_PROXIES',
    readBy: SERVER_READERS,
    meaning:
      'Addresses and networks of the proxies in front, comma-separated. From them `X-Forwarded-For` names the source of a call, for the journal, the log and throttling. Default: no header is read.',
    example: '10.0.0.0/8,::1',
  },
  {
    name: 'PURSER_MAX_CONNECTIONS',
    readBy: SERVER_READERS,
    default: '10000',
    meaning:
      'Maximum number of open connections to one process. Each further connection is closed; eight of them may request `/healthz` first. The limit of open files must be higher.',
    example: '2000',
  },
  {
    name: 'PURSER_KEEP_ALIVE_SECONDS',
    readBy: SERVER_READERS,
    default: '72',
    meaning:
      'Seconds, 5–86400, that a connection may stay without a request. It must be longer than the balancer keeps idle connections: 620 behind Google Cloud.',
    example: '620',
  },
  {
    name: 'PURSER_DRAIN_SECONDS',
    readBy: SERVER_READERS,
    default: '0',
    meaning:
      'Seconds, 0–3600, for which a server continues to serve after SIGTERM or SIGINT, with `/readyz` 503 `draining`, before it takes no new connections. It must be longer than the balancer needs to see that.',
    example: '15',
  },
  {
    name: 'PURSER_CALLS_PER_PARTNER',
    readBy: ['platform'],
    default: '512',
    meaning:
      'Maximum number of concurrent calls to one partner from one process, for each of Place bets, results and rollbacks. Results and rollbacks use 64, and more if the latency of the partner requires it (C-6).',
    example: '128',
  },
  {
    name: 'PURSER_MINIMUM_AGE',
    readBy: ['wallet'],
    default: '18',
    meaning: 'Years; players with a later birthday are refused (code 16).',
    example: '21',
  },
  {
    name: 'PURSER_FAST_PATH',
    readBy: ['wallet'],
    default: 'on',
    meaning:
      '`off` turns the fast path off: simple calls are also decided one by one, with the same answers at a higher cost. It helps to find a fault.',
    example: 'off',
  },
  {
    name: 'PURSER_CONFORMANCE',
    readBy: ['wallet'],
    default: 'off',
    meaning:
      '`on` lets an admin run the conformance kit against this wallet from the console. It is for test systems, as the kit creates players and moves money. Refused in production; the sandbox has it on.',
    example: 'on',
  },
  {
    name: 'PURSER_JOURNAL_DAYS',
    readBy: ['wallet', 'gateway', 'tool'],
    default: '14',
    meaning:
      'Days for which the journal keeps every API call; 0 keeps none, and existing calls are dropped. If the role of a server does not own the tables, `purser migrate` saves the setting.',
    example: '3',
  },
  {
    name: 'PURSER_APPROVE_ABOVE',
    readBy: ['wallet', 'tool'],
    meaning:
      'Adjustments need a second person if their sum by key and day is above this (W-27): an amount in any currency, or CODE:amount, comma-separated. With only CODE:amount, all adjustments in other currencies need one. Default: none.',
    example: '500,JPY:75000',
  },
  {
    name: 'PURSER_COOLING_OFF',
    readBy: ['wallet', 'tool'],
    default: 'none',
    meaning:
      'A change that lifts a block or a self-exclusion, or raises a limit, waits (W-50): `none`: it is made at once; `second-person`; or hours, `1h` to `8760h`.',
    example: '24h',
  },
  {
    name: 'PURSER_CONSOLE_IDLE_MINUTES',
    readBy: ['wallet', 'platform'],
    default: '30',
    meaning:
      'Minutes without use, 1–720, after which a session of the console ends (U-2). Automatic refreshes of a page do not count as use.',
    example: '15',
  },
  {
    name: 'PURSER_MIGRATE',
    readBy: SERVER_READERS,
    default: 'auto',
    meaning: '`auto` updates the schema at start; `never` refuses to start on another schema.',
    example: 'never',
  },
  {
    name: 'LOG_LEVEL',
    readBy: SERVER_READERS,
    default: 'info',
    meaning: 'trace, debug, info, warn, error, fatal or silent.',
    example: 'warn',
  },
  ...TRACE_SETTINGS,
  {
    name: 'NODE_ENV',
    readBy: SERVER_READERS,
    meaning: '`production` refuses to start with missing or unsafe settings (O-1).',
    example: 'production',
  },
] as const satisfies readonly Setting[]

export function listSettings(readers: readonly SettingReader[]): Setting[] {
  return SETTINGS.filter(
    ({ readBy }: Setting) => readBy === undefined || readBy.some((reader) => readers.includes(reader)),
  )
}

export type SettingName = (typeof SETTINGS)[number]['name']

export function defaultOf(name: SettingName): string | undefined {
  const setting: Setting | undefined = SETTINGS.find((candidate) => candidate.name === name)
  return setting?.default
}
