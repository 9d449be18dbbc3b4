/**
 * Check of the JavaScript runtime. It imports nothing, because other imports fail on an old runtime
 * with a SyntaxError. It is plain JavaScript, because the build runs it before the compiler.
 */
const NEEDED = 'Node 20.19 or later, of the 22 line 22.12 or later'

/**
 * The cause and the remedy as one sentence; undefined on a supported runtime.
 *
 * @param {Readonly<Record<string, string | undefined>>} versions as `process.versions`
 * @returns {string | undefined}
 */
export function runtimeProblem({ node = '', bun, deno }) {
  if (bun === undefined && deno === undefined && isSupported(node)) return undefined
  const runtime = bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : `Node ${node}`
  return `purser: ${runtime} cannot run this program: install ${NEEDED} (https://nodejs.org), and run it with that\n`
}

/**
 * @param {string} version
 * @returns {boolean}
 */
function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)
}
