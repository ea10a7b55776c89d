// What the filter bar offers at the cursor: the words of the grammar at once, the values of a field from the server a moment later.
import { useEffect, useMemo, useState } from "react";
import { complete, type Completion } from "#core/filter/complete.ts";
import { quote } from "#core/filter/printer.ts";
import type { Page } from "#schema/fields.ts";
import type { Typed } from "./accept-completion.ts";

export type FieldValue = { readonly value: string; readonly samples: number };
export type LoadValues = (field: string, prefix: string, signal: AbortSignal) => Promise<readonly FieldValue[]>;
export type Offer = { readonly option: string; readonly samples: number | null };
export type Offers = { readonly completion: Completion; readonly offers: readonly Offer[]; readonly failed: boolean };

const pauseMs = 120;
const offersMax = 50;

// `typed` null: the list is closed, nothing is asked.
export function useCompletions(page: Page, typed: Typed | null, load: LoadValues): Offers | null {
  const completion = useMemo(() => (typed === null ? null : complete(typed.text, typed.cursor, page)), [page, typed]);
  const slot = completion?.slot;
  const field = slot?.kind === "value" && completion?.options.length === 0 ? slot.field : null;
  const prefix = completion?.typed ?? "";
  const [loaded, setLoaded] = useState<{ readonly field: string; readonly prefix: string; readonly values: readonly FieldValue[] | null } | null>(null);
  useEffect(() => {
    if (field === null) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      load(field, prefix, abort.signal).then(
        (values) => setLoaded({ field, prefix, values }),
        () => abort.signal.aborted || setLoaded({ field, prefix, values: null }),
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [field, prefix, load]);
  return useMemo(() => {
    if (completion === null) return null;
    if (field === null) {
      const words = completion.options.filter((option) => option !== completion.typed); // a word that is typed out needs no offer
      return { completion, offers: words.slice(0, offersMax).map((option) => ({ option, samples: null })), failed: false };
    }
    const current = loaded !== null && loaded.field === field && loaded.prefix === prefix ? loaded : null;
    const values = (current?.values ?? []).slice(0, offersMax);
    return { completion, offers: values.map(({ value, samples }) => ({ option: quote(value), samples })), failed: current !== null && current.values === null };
  }, [completion, field, prefix, loaded]);
}
