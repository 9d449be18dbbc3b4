/**
 * The snippets of the signature guide accept every published vector and refuse every altered one.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { blocksOf } from './docs/markdown.ts'
import { ROOT } from './docs/session.ts'

interface Vectors {
  readonly secret: string
  readonly vectors: readonly { readonly header: string; readonly body: string; readonly signature: string }[]
}

const { secret, vectors }: Vectors = JSON.parse(
  readFileSync(join(ROOT, 'docs/reference/signature-vectors.json'), 'utf8'),
)
const BLOCKS = blocksOf(readFileSync(join(ROOT, 'docs/guides/signature.md'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'purser-signature-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Header, body in hex, and the expected result. */
type Row = readonly [header: string, body: string, isGood: boolean]

function rowsOf(): Row[] {
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  return vectors.flatMap(({ header, body, signature }): Row[] => {
    const bytes = Buffer.from(body).toString('hex')
    const inside = Buffer.from(body).toString('base64url')
    return [
      [`${header}..${signature}`, bytes, true],
      [`${header}..${signature}`, `${bytes}20`, false],
      [`${header}..${signature.slice(0, -2)}`, bytes, false],
      [`${header}.${signature}`, bytes, false],
      [`${header}.${inside}.${signature}`, bytes, false],
      [`${none}..`, bytes, false],
      [`!..${signature}`, bytes, false],
      ['', bytes, false],
    ]
  })
}

/** Makes a snippet read lines of "header hex" and print 1 or 0 for each. */
interface Driver {
  readonly file: string
  /** Command and arguments before the file. */
  readonly run: readonly string[]
  readonly add: (snippet: string) => string
}

const DRIVERS: Readonly<Record<string, Driver>> = {
  js: {
    file: 'verify.mjs',
    run: [process.execPath],
    add: (snippet) => `${snippet}
import { readFileSync } from 'node:fs'
for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) {
  const [header, hex] = line.split(' ')
  console.log(verify(header, Buffer.from(hex, 'hex'), '${secret}') ? 1 : 0)
}`,
  },
  python: {
    file: 'verify.py',
    run: ['python3'],
    add: (snippet) => `${snippet}
import sys
for line in sys.stdin:
    header, text = line.rstrip("\\n").split(" ")
    print(1 if verify(header, bytes.fromhex(text), "${secret}") else 0)
`,
  },
  php: {
    file: 'verify.php',
    run: ['php'],
    add: (snippet) => `${snippet}
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$header, $hex] = explode(' ', $line);
    echo verify($header, hex2bin($hex), '${secret}') ? 1 : 0, "\\n";
}`,
  },
  go: {
    file: 'verify.go',
    run: ['go', 'run'],
    add: (snippet) => `${snippet.replace(
      '"encoding/json"',
      '"encoding/hex"\n\t"encoding/json"\n\t"bufio"\n\t"fmt"\n\t"os"',
    )}
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), " ", 2)
		body, _ := hex.DecodeString(parts[1])
		fmt.Println(map[bool]int{true: 1, false: 0}[verify(parts[0], body, "${secret}")])
	}
}`,
  },
  java: {
    file: 'Signature.java',
    run: ['java'],
    add: (snippet) => `${snippet.trimEnd().slice(0, -1)}
    public static void main(String[] none) throws Exception {
        for (String line : (Iterable<String>) new java.io.BufferedReader(new java.io.InputStreamReader(System.in)).lines()::iterator) {
            int gap = line.indexOf(' ');
            byte[] body = java.util.HexFormat.of().parseHex(line.substring(gap + 1));
            System.out.println(verify(line.substring(0, gap), body, "${secret}") ? 1 : 0);
        }
    }
}`,
  },
}

/** A language that is not installed is skipped; Node is always installed. */
function has([command = '']: readonly string[]): boolean {
  try {
    execFileSync(
      command,
      [command === 'java' || command === 'php' ? '-version' : command === 'go' ? 'version' : '--version'],
      {
        stdio: 'ignore',
      },
    )
    return true
  } catch {
    return false
  }
}

describe('the snippet of the signature guide in', () => {
  test.for(Object.entries(DRIVERS))(
    '%s accepts the test vectors and refuses changed ones',
    ([language, { file, run, add }], { skip }) => {
      const snippet = BLOCKS.find(({ info }) => info === language)?.text
      if (snippet === undefined) throw new Error(`the guide has no block of ${language}`)
      skip(!has(run), `${run[0]} is not on this machine`)
      const path = join(folder, file)
      writeFileSync(path, add(snippet))
      const rows = rowsOf()
      const input = rows.map(([header, body]) => `${header} ${body}\n`).join('')
      const [command = '', ...before] = run
      const said = execFileSync(command, [...before, path], { input, encoding: 'utf8', timeout: 60_000 })
        .trim()
        .split('\n')
      expect(said).toEqual(rows.map(([, , isGood]) => (isGood ? '1' : '0')))
    },
  )
})
