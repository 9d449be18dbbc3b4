/**
 * Table of the settings that come from environment variables. The code that reads and checks
 * settings uses this table, and so do `--help` and the reference in docs.
 */

export type SettingReader = 'wallet' | 'platform' | 'gateway' | 'tool'

export interface Setting {
  readonly name: string
  /** Absent for all readers. */
  readonly readBy?: readonly SettingReader[]
  /** As text; undefined without a default. */
  readonly default?: string
  readonly meaning: string
  readonly example: string
  /** NAME_FILE may give the path of a file with the value. */
  readonly secret?: true
}

const SERVER_READERS = ['wallet', 'platform', 'gateway'] as const

export const SETTINGS = [
  {
    name: 'HOST',
    readBy: SERVER_READERS,
    default: '127.0.0.1',
    meaning: 'Address on which the server listens for connections.',
    example: '0.0.0.0',
  },
  {
    name: 'PORT',
    readBy: SERVER_READERS,
    meaning:
      'TCP port on which the server listens; 0 takes any free port. Default: 8080 for wallet and sandbox, 8081 for the platform, 8082 for the gateway.',
    example: '9000',
  },
  {
    name: 'DATABASE_URL',
    meaning:
      'Address of the Postgres database. Without it Purser uses the embedded database (PGlite) in PURSER_DATA_DIR.',
    example: 'postgres://purser@db:5432/purser',
    secret: true,
  },
  {
    name: 'PURSER_PLAIN_DATABASE',
    default: 'auto',
    meaning:
      'Rule for connections without TLS to Postgres on another machine. `allow` permits them, `refuse` forbids them, and `auto` forbids them in production only. Connections on this machine and by Unix socket are always allowed.',
    example: 'allow',
  },
  {
    name: 'PURSER_DURABILITY',
    default: 'server',
    meaning:
      'The part that makes each commit durable. `server`: the Postgres server, which must have `fsync` and `full_page_writes` on. `storage`: the storage of a hosted database, which has both off.',
    example: 'storage',
  },
  {
    name: 'PURSER_DATA_DIR',
    default: '.purser',
    meaning:
      'Folder of the embedded database and of generated keys. With `memory://` everything is in memory and is lost at the end.',
    example: '/var/lib/purser',
  },
  {
    name: 'PARTNER_SECRET',
    readBy: ['wallet', 'gateway'],
    meaning:
      'Secret that this server shares with the platform. While you rotate it, list the new and the old secret, separated by commas. If it is not set, a value is generated and kept, except in production.',
    example: 'new-secret,old-secret',
    secret: true,
  },
  {
    name: 'PARTNER_SECRETS',
    readBy: ['wallet'],
    meaning:
      'Secrets of several platforms that call one wallet, as NAME:SECRET, separated by commas. While you rotate a secret, repeat the name with its next secret. PARTNER_SECRET may be set too, for one platform without a name (W-43).',
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
      'Key that encrypts the secrets of partners, operators and webhooks in the database: 64 hexadecimal digits. While you rotate it, list several keys, separated by commas: the first encrypts, and all decrypt. In production a platform and a gateway need a key. A wallet needs one only to encrypt the secrets of webhooks.',
    example: 'the output of: openssl rand -hex 32',
    secret: true,
  },
  {
    name: 'PURSER_CLAWBACK',
    readBy: ['wallet', 'tool'],
    default: 'refuse',
    meaning:
      'Rule for a corrected result that takes back more money than the player still has. `refuse` rejects the corrected result (400, code 21). `allow-negative` accepts it, and the balance goes below zero.',
    example: 'allow-negative',
  },
  {
    name: 'PURSER_RESETTLE_WINDOW',
    readBy: ['wallet', 'tool'],
    meaning:
      'Number of days after a settlement for which the result of the bet can still be changed. Later changes are rejected (400, code 20). Default: no limit.',
    example: '30',
  },
  {
    name: 'PURSER_FREEBET_STAKE',
    readBy: ['wallet', 'tool'],
    default: 'player',
    meaning:
      'Payer of the stake of a freebet, which is a bet with a `bonusId` above 0: `player`, or the operator’s account `promotions`.',
    example: 'promotions',
  },
  {
    name: 'PURSER_CURRENCIES',
    readBy: ['wallet', 'platform', 'tool'],
    meaning:
      'Currencies that are not in ISO 4217, and currencies with more decimals than in ISO 4217. Each is CODE:decimals, separated by commas.',
    example: 'USDT:6,BTC:8,USD:4',
  },
  {
    name: 'PURSER_PROCESSES',
    readBy: SERVER_READERS,
    default: '1',
    meaning:
      'Number of processes, 1–64, that serve one port together, for machines with several cores. SIGHUP restarts them, one after another. The embedded database allows only one process.',
    example: '4',
  },
  {
    name: 'PURSER_BUCKETS',
    readBy: ['wallet'],
    meaning:
      'Number of buckets, 1–1024. A bucket is a part of the players, whose rows are stored together. The number is fixed when the tables of the wallet are created. Default: the number that the database has recorded, or 1 for a new database.',
    example: '8',
  },
  {
    name: 'PURSER_BEHIND_AGGREGATOR',
    readBy: ['wallet', 'tool'],
    default: 'false',
    meaning:
      '`true`: an aggregator stands between the platform and this wallet. A call then names its player in `operatorUser`, if it has this member, and otherwise in `userId`.',
    example: 'true',
  },
  {
    name: 'PURSER_SHARED_BETS',
    readBy: ['wallet', 'tool'],
    default: 'false',
    meaning:
      '`true`: all platforms of the wallet share the ids of bets. Each platform may then settle and roll back the bets of another platform (W-43).',
    example: 'true',
  },
  {
    name: 'PURSER_PRIVATE_ADDRESSES',
    readBy: ['wallet', 'platform', 'gateway'],
    default: 'auto',
    meaning:
      'Rule for partners, operators and webhooks whose address is in a private or reserved network or on this machine. `allow` permits them, `refuse` forbids them, and `auto` forbids them in production only.',
    example: 'allow',
  },
  {
    name: 'PURSER_PLAIN_HTTP',
    readBy: ['wallet', 'platform', 'gateway'],
    default: 'auto',
    meaning:
      'Rule for partners, operators and webhooks whose address begins with http://. `allow` permits them, `refuse` forbids them, and `auto` forbids them in production only.',
    example: 'allow',
  },
  {
    name: 'PURSER_TRUSTED_PROXIES',
    readBy: SERVER_READERS,
    meaning:
      'Addresses and networks of your proxies, separated by commas. If a call comes from one of them, its header `X-Forwarded-For` names the source of the call. The journal, the log and the rate limits use this source. Default: the header is not read.',
    example: '10.0.0.0/8,::1',
  },
  {
    name: 'PURSER_MAX_CONNECTIONS',
    readBy: SERVER_READERS,
    default: '10000',
    meaning:
      'Maximum number of open connections to one process. The process closes each further connection. At most eight further connections may first request `/healthz`, so that the process does not look dead. The limit of open files of the operating system must be higher.',
    example: '2000',
  },
  {
    name: 'PURSER_KEEP_ALIVE_SECONDS',
    readBy: SERVER_READERS,
    default: '72',
    meaning:
      'Seconds, 5–86400, that a connection may stay open without a request. The value must be longer than the time for which the load balancer keeps idle connections, such as 620 behind Google Cloud.',
    example: '620',
  },
  {
    name: 'PURSER_DRAIN_SECONDS',
    readBy: SERVER_READERS,
    default: '0',
    meaning:
      'Seconds, 0–3600, for which a server still serves calls after SIGTERM or SIGINT. Meanwhile `/readyz` answers 503 `draining`. The value must be longer than the time in which the load balancer notices this answer.',
    example: '15',
  },
  {
    name: 'PURSER_CALLS_PER_PARTNER',
    readBy: ['platform'],
    default: '512',
    meaning:
      'Maximum number of calls that one process sends at once to one partner. The number holds separately for Place bets, for results and for rollbacks. Results and rollbacks begin with 64 calls, and use more while this does not slow the partner down (W-15).',
    example: '128',
  },
  {
    name: 'PURSER_MINIMUM_AGE',
    readBy: ['wallet'],
    default: '18',
    meaning: 'Minimum age of a player, in years. The bets of a younger player are declined (code 16).',
    example: '21',
  },
  {
    name: 'PURSER_FAST_PATH',
    readBy: ['wallet'],
    default: 'on',
    meaning:
      'The fast path decides many simple calls at once. `off` turns it off, to find a fault. Then each call is decided alone, with the same answers at a higher cost.',
    example: 'off',
  },
  {
    name: 'PURSER_CONFORMANCE',
    readBy: ['wallet'],
    default: 'off',
    meaning:
      '`on` lets an admin run the conformance kit against this wallet from the console. The kit creates players and moves money, so use it on test systems only. Production refuses it, and the sandbox has it on.',
    example: 'on',
  },
  {
    name: 'PURSER_JOURNAL_DAYS',
    readBy: ['wallet', 'gateway', 'tool'],
    default: '14',
    meaning:
      'Days for which the journal keeps each call of the wire. With 0 it keeps no call, and deletes the stored calls. Only the owner of the tables can change this setting. If the role of your server is not the owner, `purser migrate` saves the setting.',
    example: '3',
  },
  {
    name: 'PURSER_APPROVE_ABOVE',
    readBy: ['wallet', 'tool'],
    meaning:
      'Limit above which an adjustment needs a second person (W-27). The limit applies to the sum of the adjustments of one key, day and currency. The limit is one amount for every currency, or a list of CODE:amount, separated by commas. If the list has no limit for a currency, each adjustment in this currency needs a second person. Default: no limit.',
    example: '500,JPY:75000',
  },
  {
    name: 'PURSER_COOLING_OFF',
    readBy: ['wallet', 'tool'],
    default: 'none',
    meaning:
      'Delay of a change that lifts a block or a self-exclusion, or raises a limit (W-50). `none`: the change is made at once. Hours from `1h` to `8760h`: the user must send the same request again after these hours, and the repeated request makes the change. `second-person`: another user must send the same request, and this second request makes the change.',
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
    meaning:
      '`auto` updates the schema of the database at the start. `never` refuses to start if the schema is not the one that this version needs.',
    example: 'never',
  },
  {
    name: 'LOG_LEVEL',
    readBy: SERVER_READERS,
    default: 'info',
    meaning:
      'Lowest level of the log lines that are written: trace, debug, info, warn, error or fatal. With `silent` no line is written.',
    example: 'warn',
  },
  // Names of OpenTelemetry, which traces-url.ts reads.
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    readBy: SERVER_READERS,
    meaning:
      'Address of the OpenTelemetry collector, which receives the traces by OTLP over HTTP. Default: no traces are sent.',
    example: 'http://127.0.0.1:4318',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    readBy: SERVER_READERS,
    meaning:
      'Full address for traces, for a collector with a path of its own. It has priority over OTEL_EXPORTER_OTLP_ENDPOINT.',
    example: 'http://127.0.0.1:4318/v1/traces',
  },
  {
    name: 'OTEL_TRACES_EXPORTER',
    readBy: SERVER_READERS,
    default: 'otlp',
    meaning: '`otlp` sends traces, `none` sends none. Other exporters are ignored with a warning.',
    example: 'none',
  },
  {
    name: 'OTEL_SDK_DISABLED',
    readBy: SERVER_READERS,
    default: 'false',
    meaning: '`true`, in upper or lower case, turns traces off.',
    example: 'true',
  },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    readBy: SERVER_READERS,
    meaning:
      'Attributes that each span of this process carries, as `key=value`, separated by commas. A span is one step of a trace.',
    example: 'deployment.environment.name=live,service.namespace=bets',
  },
  {
    name: 'OTEL_SERVICE_NAME',
    readBy: SERVER_READERS,
    meaning: 'Name of this process in the traces. Default: purser-wallet, purser-platform or purser-gateway.',
    example: 'wallet-eu',
  },
  {
    name: 'NODE_ENV',
    readBy: SERVER_READERS,
    meaning: 'With `production` a server refuses to start if a setting is missing or unsafe (O-1).',
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
