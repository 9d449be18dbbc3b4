import { resolve } from 'node:path'
import { parseArguments, parsePositive } from '../arguments.ts'
import { MAIN } from '../subjects.ts'

export interface GatewayOptions {
  rounds: number
  /** The `packages/server/dist/main.js` of this build, and of the builds to compare it with. */
  mains: string[]
}

export const GATEWAY_HELP = `npm run bench:gateway -- --rounds 3
npm run bench:gateway -- --with ../before/packages/server/dist/main.js

What a gateway costs, beside a plain proxy. Exit code 0: measured, 2: wrong use.

  --rounds N     how often each subject is measured; the median is shown (1)
  --with FILE    the main.js of another build, measured in turn with this one; can stand several times
  --help`

export function parseGatewayOptions(args: string[]): GatewayOptions | 'help' {
  const { values } = parseArguments(args, {
    help: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '1' },
    with: { type: 'string', multiple: true, default: [] },
  })
  if (values.help) return 'help'
  return { rounds: parsePositive('rounds', values.rounds), mains: [MAIN, ...values.with.map((file) => resolve(file))] }
}
