/** Reads compose.yaml, and the SQL statements of the scripts that its containers run. */
import { parse } from 'yaml'
import { read } from '../tidy/source.ts'

export interface Service {
  profiles?: string[]
  image?: string
  build?: string | { context: string; dockerfile: string }
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  environment?: Record<string, string>
  secrets?: string[]
  command?: string[]
  depends_on?: object
  restart?: string
  stop_grace_period?: string
  volumes?: string[]
}

export const COMPOSE: { services: Record<string, Service>; secrets: Record<string, { file: string }> } = parse(
  read('compose.yaml'),
  { merge: true },
)

/** The passwords of the services that create a database. */
export const PASSWORDS: Readonly<Record<string, string>> = {
  superuser: 's'.repeat(64),
  owner: 'o'.repeat(64),
  wallet: 'w'.repeat(64),
}

/** The statements of a script without psql's own commands. */
export function statementsOf(path: string, passwords = PASSWORDS): string[] {
  const sql = read(path)
    .replaceAll(/^(--|\\).*$/gm, '')
    .replaceAll(/:'(\w+)'/g, (_, name) => `'${passwords[name]}'`)
  return sql.split(';').filter((one) => one.trim() !== '')
}
