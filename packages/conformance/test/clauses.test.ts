/**
 * The kit makes no rules of its own: a MUST cites a clause of the interface, and every cited clause
 * exists.
 */
import { describe, expect, test } from 'vitest'
import { anchorsOf, definedIdsOf } from '../../../test/docs/markdown.ts'
import { read } from '../../../test/tidy/source.ts'
import { CLAUSES, isInterfaceClause, splitClauses, toClausePath } from '../src/clauses.ts'
import { PLATFORM_CASES } from '../src/platform/platform-cases.ts'
import { WALLET_CASES } from '../src/wallet/cases/wallet-cases.ts'

const LIFE = "The bet's life"
const DECISIONS = [...definedIdsOf(read('docs/reference/decisions.md')), LIFE]

describe.each([
  ['wallets', WALLET_CASES],
  ['platforms', PLATFORM_CASES],
])('the cases against %s', (_name, cases) => {
  test('cite a clause of the interface where they say MUST', () => {
    const musts = cases.filter(({ level }) => level === 'MUST')
    expect(musts.length).toBeGreaterThan(20)
    expect(musts.filter(({ clause }) => !splitClauses(clause).some(isInterfaceClause)).map(({ id }) => id)).toEqual([])
  })

  test('cite only clauses that exist', () => {
    const unknown = cases.flatMap(({ id, clause }) =>
      splitClauses(clause)
        .filter((name) => !isInterfaceClause(name) && !DECISIONS.includes(name))
        .map((name) => [id, name]),
    )
    expect(unknown).toEqual([])
  })
})

describe('the location of a clause', () => {
  const page = read('docs/reference/interface.md')
  const plain = (text: string) => text.replaceAll('`', '')

  test.each(Object.entries(CLAUSES))('%s is a line of interface.md that contains its words', (name, words) => {
    const [, anchor] = toClausePath(name).split('#')
    const [, after = ''] = page.split(`<a id="${anchor}"></a>`)
    const line = page.includes(`\n<a id="${anchor}"></a>\n`) ? after.split('\n')[1] : lineAround(page, anchor)
    expect(plain(line ?? '').replaceAll(/<a id="[^"]*"><\/a>/g, '')).toContain(plain(words))
  })

  test('has an anchor on its page', () => {
    const cited = [...WALLET_CASES, ...PLATFORM_CASES].flatMap(({ clause }) => splitClauses(clause)).map(toClausePath)
    const pages = [...new Set(cited.map((place) => place.replace(/#.*/, '')))]
    const anchors = pages.flatMap((file) => anchorsOf(read(`docs/reference/${file}`)).map((one) => `${file}#${one}`))
    expect([...new Set(cited)].filter((place) => !anchors.includes(place))).toEqual([])
  })
})

function lineAround(page: string, anchor: string | undefined): string | undefined {
  return page.split('\n').find((line) => line.includes(`<a id="${anchor}"></a>`))
}

test('the clauses have different words, and none is empty', () => {
  // The interface requires the signature check of each operation in the same words.
  const texts = Object.values(CLAUSES).filter((text) => text !== 'Verify the request signature.')
  expect(new Set(texts).size).toBe(texts.length)
  expect(texts.filter((text) => text.length < 10)).toEqual([])
})
