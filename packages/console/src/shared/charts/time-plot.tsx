/** Time chart that fills its box and follows the theme and time zone of the page. */
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Zone } from './chart-times.ts'
import { useZone } from './format.tsx'
import './plot.css'

export type PlotOptions = Omit<uPlot.Options, 'width' | 'height' | 'legend' | 'tzDate'>

interface Props {
  /** The function must keep its identity; otherwise the chart is created anew. */
  options(zone: Zone): PlotOptions
  readonly data: uPlot.AlignedData
  readonly height: number
  /** For screen readers. */
  readonly description: string
}

/** The system's theme, which can change at sunset. */
const DARK = matchMedia('(prefers-color-scheme: dark)')

export function Plot({ options, data, height, description }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const zone = useZone()
  const latest = useRef(data)
  latest.current = data
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const size = () => ({ width: element.clientWidth, height })
    const tzDate = (at: number) =>
      zone === 'utc' ? uPlot.tzDate(new Date(at * 1_000), 'Etc/UTC') : new Date(at * 1_000)
    const chart = new uPlot({ ...options(zone), ...size(), legend: { show: false }, tzDate }, latest.current, element)
    plot.current = chart
    const sized = new ResizeObserver(() => chart.setSize(size()))
    sized.observe(element)
    const paint = () => chart.redraw()
    const painted = new MutationObserver(paint) // The theme button changes `data-theme`.
    painted.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    DARK.addEventListener('change', paint)
    return () => {
      sized.disconnect()
      painted.disconnect()
      DARK.removeEventListener('change', paint)
      chart.destroy()
    }
  }, [options, zone, height])
  useEffect(() => plot.current?.setData(data), [data])
  return <div ref={box} className="plot" role="img" aria-label={description} />
}

/** The current value of a design token. */
export const token = (name: string) => () => getComputedStyle(document.documentElement).getPropertyValue(name)

export const AXIS = {
  stroke: token('--muted'),
  grid: { stroke: token('--line'), width: 1 },
  ticks: { show: false },
  font: '12px system-ui, sans-serif',
}
export const LEFT_PX = 52
