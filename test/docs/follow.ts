/** Follows a page of the documentation as its reader would, and compares what the commands print with what the page shows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Block, blocksOf } from './markdown.ts'
import { makeFolder, patternOf, ROOT, runBlocks, startServer } from './session.ts'

function blocksOfPage(page: string): Block[] {
  return blocksOf(readFileSync(join(ROOT, page), 'utf8'))
}

/** Each `sh` block with the output that the page shows right after it. */
function stepsOf(page: string): { block: Block; shown: string | undefined }[] {
  const blocks = blocksOfPage(page)
  return blocks.flatMap((block, i) => {
    const next = blocks[i + 1]
    return block.info === 'sh' ? [{ block, shown: next?.info === 'text' ? next.text : undefined }] : []
  })
}

/** Runs the page's `sh` blocks and compares what they print with what the page shows. */
export async function follow(page: string, run: (blocks: Block[]) => Promise<string[]>): Promise<void> {
  const steps = stepsOf(page)
  expect(steps.length).toBeGreaterThan(0)
  const printed = await run(steps.map(({ block }) => block))
  steps.forEach(({ block, shown }, i) => {
    if (shown !== undefined) expect(printed[i]?.trim(), `${page}, line ${block.line}`).toMatch(patternOf(shown))
  })
}

/** Follows a page against the server that the page itself starts. */
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
