/** No page of another origin can send it (U-2). */
export const OURS = { 'x-purser-console': '1' }
