/** Where connections to wallets come from. Asked as `network.open`, so that a simulation can put a network of its own in that place. */
import { type Dispatcher, Pool } from 'undici'

/** Keep-alive connections to one origin. */
export interface ConnectionPool {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean
  /** Finishes the exchanges under way. */
  close(): Promise<void>
}

export const network = {
  open: (origin: string, options: Pool.Options): ConnectionPool => new Pool(origin, options),
}
