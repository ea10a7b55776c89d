// The parameters and buffers a module holds itself: name, shape, dtype, size, and what is particular about each.
import { printable } from "#core/printable.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { dimsText } from "#core/shape/tensor-notes.ts";
import type { ModuleTensor } from "#schema/api/shapes.ts";
import { formatBytes } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { PathButton, Section } from "./detail-parts.tsx";
import { parentPath } from "./tree-state.ts";
import style from "./module-details.module.css";

export function TensorTable({ tensors, layout, reveal }: { readonly tensors: readonly ModuleTensor[]; readonly layout: ShapeLayout | undefined; readonly reveal: (path: string) => void }) {
  const split = tensors.some(({ sharded }) => sharded.length > 0);
  return (
    <Section title="Tensors">
      <table className={style.tensors} data-testid="tensors">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Shape</th>
            <th scope="col">Dtype</th>
            <th scope="col" data-numeric="true">
              Size
            </th>
          </tr>
        </thead>
        {tensors.map((tensor) => (
          <tbody key={tensor.name}>
            <tr>
              <th scope="row">{printable(tensor.name)}</th>
              <td>{dimsText(tensor.dims)}</td>
              <td>{printable(tensor.dtype)}</td>
              <td data-numeric="true">{tensor.bytes === null ? "unsized" : <Quantity value={formatBytes(tensor.bytes)} />}</td>
            </tr>
            {notesOf(tensor).length > 0 && (
              <tr>
                <td colSpan={4} className={style.notes}>
                  {notesOf(tensor).map((note) => (
                    <span key={note} className={style.note}>
                      {tensor.shares !== null && note.startsWith("shares ") ? (
                        <>
                          shares <PathButton path={tensor.shares} module={parentPath(tensor.shares)} reveal={reveal} />
                        </>
                      ) : (
                        printable(note)
                      )}
                    </span>
                  ))}
                </td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
      {split && layout !== undefined && layout.tpSize > 1 && <p className={style.fine}>Shapes are of the whole model; each of {layout.tpSize} ranks holds its part of a sharded dimension.</p>}
    </Section>
  );
}

// What the Size column says already is no note.
function notesOf({ notes }: ModuleTensor): string[] {
  return notes.filter((note) => note !== "unsized");
}
