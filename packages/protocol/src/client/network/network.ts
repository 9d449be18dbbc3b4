/** Factory of connection pools. Callers use `network.open`, so that a simulation can replace it. */
import { type Dispatcher, Pool } from 'undici'

export interface ConnectionPool {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean
  /** Waits for the requests in progress. */
  close(): Promise<void>
}

export const network = {
  open: (origin: string, options: Pool.Options): ConnectionPool => new Pool(origin, options),
}
