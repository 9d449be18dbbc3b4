/**
 * Output of the sandbox. A terminal shows the line of counters below the other lines. Any other
 * output gets this line every ten seconds, without colour.
 */
import { styleText } from 'node:util'
import { TERMINAL_WIDTH } from '@purser/runtime/text/text-wrapping'

export interface Screen {
  /** Characters of a line. */
  width(): number
  line(text: string): void
  counter(text: string): void
  /** Removes the counter line; later output is plain lines. */
  end(): void
  paint(colour: ScreenColour, text: string): string
}

export type ScreenColour = 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan'

export interface ScreenOutput {
  write(text: string): void
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Without a terminal. */
const PLAIN_COUNTER_MS = 10_000
const CLEAR_LINE = '\r\u001b[2K'

const MIN_WIDTH = 60

export function createScreen(output: ScreenOutput, noColour: boolean): Screen {
  return output.isTTY ? createLiveScreen(output, noColour) : createPlainScreen(output)
}

function createPlainScreen(output: ScreenOutput): Screen {
  let next = Date.now() + PLAIN_COUNTER_MS
  let last = ''
  return {
    width: () => TERMINAL_WIDTH,
    line: (text) => output.write(`${text}\n`),
    counter(text) {
      if (text === last || Date.now() < next) return
      next = Date.now() + PLAIN_COUNTER_MS
      last = text
      output.write(`${text}\n`)
    },
    end() {},
    paint: (_colour, text) => text,
  }
}

function createLiveScreen(output: ScreenOutput, noColour: boolean): Screen {
  let status = ''
  const width = () => Math.max(output.columns ?? TERMINAL_WIDTH, MIN_WIDTH)
  const show = () => output.write(status.slice(0, width() - 1))
  return {
    width,
    line(text) {
      output.write(`${status === '' ? '' : CLEAR_LINE}${text}\n`)
      show()
    },
    counter(text) {
      if (text === status) return
      if (status !== '') output.write(CLEAR_LINE)
      status = text
      show()
    },
    end() {
      if (status !== '') output.write(CLEAR_LINE)
      status = ''
    },
    paint: (colour, text) => (noColour ? text : styleText(colour, text, { validateStream: false })),
  }
}
