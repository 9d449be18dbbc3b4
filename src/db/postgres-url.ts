/** What is wrong with the address of a database. It may hold a password, so nothing of it is shown. */

/** As libpq takes it, or the folder of a Unix socket. */
const POSTGRES_URL = /^(postgres(ql)?:\/\/|socket:|\/)/

const ENCODE = 'in user and password write # as %23, / as %2F, ? as %3F, @ as %40, : as %3A and % as %25'

/** What to do about it, as the end of a sentence that begins with the setting; undefined when nothing is wrong. */
export function problemOfUrl(url: string): string | undefined {
  if (!POSTGRES_URL.test(url)) return 'must begin with postgres://'
  if (!/^postgres(ql)?:/.test(url)) return undefined
  if (namesSeveralHosts(url))
    return 'names several hosts, which is not supported: name one, such as a name that follows the primary'
  if (!URL.canParse(url) || hasCutPassword(new URL(url)))
    return `cannot be read as postgres://user:password@host:port/database: ${ENCODE}`
  return undefined
}

function namesSeveralHosts(url: string): boolean {
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(url) ?? []
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  return hosts.includes(',') || /[?&]host=[^&]*,/.test(url)
}

/** A # or ? in the password ends the host's part: the @ and the real host stand behind it. */
function hasCutPassword({ hash, search, pathname, username }: URL): boolean {
  return hash !== '' || (username === '' && `${pathname}${search}`.includes('@'))
}
