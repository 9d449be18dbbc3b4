/** Runs the commands of a documentation page in order and compares their output with the page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Block, blocksOf } from './markdown.ts'
import { makeFolder, patternOf, ROOT, runBlocks, startServer } from './session.ts'

function blocksOfPage(page: string): Block[] {
  return blocksOf(readFileSync(join(ROOT, page), 'utf8'))
}

/** Each `sh` block with the `text` block after it, which shows its output. */
function stepsOf(page: string): { block: Block; shown: string | undefined }[] {
  const blocks = blocksOfPage(page)
  return blocks.flatMap((block, i) => {
    const next = blocks[i + 1]
    return block.info === 'sh' ? [{ block, shown: next?.info === 'text' ? next.text : undefined }] : []
  })
}

export async function follow(page: string, run: (blocks: Block[]) => Promise<string[]>): Promise<void> {
  const steps = stepsOf(page)
  expect(steps.length).toBeGreaterThan(0)
  const printed = await run(steps.map(({ block }) => block))
  steps.forEach(({ block, shown }, i) => {
    if (shown !== undefined) expect(printed[i]?.trim(), `${page}, line ${block.line}`).toMatch(patternOf(shown))
  })
}

/** The same, against the server of the page's `sh server` block. */
export async function followWithServer(page: string): Promise<void> {
  const server = blocksOfPage(page).find(({ info }) => info === 'sh server')
  const folder = makeFolder()
  try {
    const { urls, stop } = await startServer(folder, server?.text ?? '')
    await follow(page, (blocks) => runBlocks(folder, blocks, { urls })).finally(stop)
  } finally {
    folder.remove()
  }
}
