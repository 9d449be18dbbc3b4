/** Parses the text of /metrics as a monitoring system does. */

export interface Scrape {
  /** Names that an expression can use; a histogram is listed by its parts. */
  readonly names: ReadonlySet<string>
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>
  /** The first sample with at least these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
  readonly text: string
}

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export async function scrape(url: string): Promise<Scrape> {
  const answer = await fetch(`${url}/metrics`)
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`)
  return read(await answer.text())
}

export function read(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '')
  const samples = lines.filter((line) => !line.startsWith('#')).map(toSample)
  const labels = new Map<string, Set<string>>()
  for (const { name, labels: own } of samples)
    labels.set(name, new Set([...(labels.get(name) ?? []), ...Object.keys(own)]))
  return {
    names: new Set(lines.flatMap(declaredIn)),
    labels,
    value: (name, wanted = {}) =>
      samples.find(
        (sample) =>
          sample.name === name && Object.entries(wanted).every(([label, value]) => sample.labels[label] === value),
      )?.value,
    text,
  }
}

function declaredIn(line: string): string[] {
  const [, name = '', kind] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
  if (name === '') return []
  return kind === 'histogram' || kind === 'summary' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name]
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

/** Throws on a line that is no sample, since Prometheus rejects the whole scrape for it. */
function toSample(line: string): Sample {
  const [, name, inBraces = '', value] = LINE.exec(line) ?? []
  const isNumber = /^nan$/i.test(value ?? '') || !Number.isNaN(Number(value))
  if (name === undefined || !isNumber) throw new Error(`no sample: ${line}`)
  return {
    name,
    labels: Object.fromEntries([...inBraces.matchAll(LABEL)].map(([, label, text]) => [label, text])),
    value: Number(value),
  }
}
