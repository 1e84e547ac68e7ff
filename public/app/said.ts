/** What the page says: to screen readers, and for a while to all. */
import { signal } from '@preact/signals'

/** What the page says aloud. `shown`: worth a look, too. */
export const said = signal<{ readonly sentence: () => string, readonly shown: boolean, readonly count: number }>({
  sentence: () => '',
  shown: false,
  count: 0
})
export const tell = (sentence: () => string, shown = true): void => {
  said.value = { sentence, shown, count: said.value.count + 1 }
}
