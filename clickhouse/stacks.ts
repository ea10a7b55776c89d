// The stacks of a selection as a view shows them, with their sums, whole: what exports are made of. core/flamegraph/stack-rows.ts turns the rows into a tree.
//
// Stacks that the view makes equal are summed, then sorted by their frames. Each sends only the frames from where it parts with the stack before: 100,000 stacks of
// depth 44 have 4.4 million frames and some 300,000 nodes. One row per distinct frame ships a 2 KB kernel name once.
// Traps: `before` is resized to the stack's length because a lambda over two arrays walks both, while one that indexes an outer array copies it for every element;
// no frame has the id 0, so the padding differs from any.
import { z } from "zod";
import type { StackView } from "#core/flamegraph/stack-view.ts";
import type { Query } from "./client.ts";
import { type SampleSelection, stackSums } from "./samples.ts";
import { frameNames, viewSql } from "./stack-view.ts";

const ids = z.array(z.int());
export const stackRow = z.object({
  frame: z.string(), name: z.string(), file: z.string(), line: z.int(), mapping: z.string(),
  module_path: z.string(), module_class: z.string(), model_key: z.string(),
  stacks: ids, positions: ids, ends: ids, values: z.array(z.string()), counts: z.array(z.string()), all_stacks: z.coerce.number(), all_nodes: z.coerce.number(),
});

export type StackBounds = { readonly stacksMax: number; readonly nodesMax: number };

// Over a bound the answer is the first stack alone, whose rows say how many stacks and nodes there are.
export function stackRows(selection: SampleSelection, view: StackView<string>, { stacksMax, nodesMax }: StackBounds): Query & { row: typeof stackRow } {
  const sums = stackSums(selection);
  const viewed = viewSql(view);
  const sql = `
SELECT frame, name, file, line, mapping, module_path, module_class, model_key, stacks, positions, ends, values, counts, all_stacks, all_nodes
FROM (
  SELECT frame, groupArray(stack) AS stacks, groupArray(position) AS positions, groupArrayIf(stack, is_end) AS ends, groupArrayIf(value, is_end) AS values,
         groupArrayIf(count, is_end) AS counts, any(stacks_in_all) AS all_stacks, any(nodes_in_all) AS all_nodes
  FROM (
    SELECT toUInt32(stack) AS stack, value, count, stacks_in_all, nodes_in_all, frame, toUInt32(position) AS position, position = length(shown) AS is_end
    FROM (
      SELECT * FROM (
        SELECT shown, value, count, stack, stacks_in_all, parts_at, sum(length(shown) + 1 - parts_at) OVER () AS nodes_in_all
        FROM (
          SELECT shown, value, count, row_number() OVER by_frames AS stack, count() OVER () AS stacks_in_all, lagInFrame(shown) OVER by_frames AS before,
                 if(empty(shown), 1, arrayFirstIndex((here, there) -> here != there, shown, arrayResize(before, length(shown)))) AS parts_at
          FROM (
            SELECT shown, sum(value) AS value, sum(count) AS count
            FROM (
              ${viewed.with}
              SELECT value, count, ${viewed.columns}
              FROM (SELECT stack_id, frames FROM stacks WHERE tenant_id = {tenant:String}) AS stack
              ANY RIGHT JOIN (${sums.sql}) AS sums USING (stack_id)
            )
            WHERE inside GROUP BY shown
          )
          WINDOW by_frames AS (ORDER BY shown ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
        )
      )
      WHERE stack = 1 OR (stacks_in_all <= {stacks_max:UInt32} AND nodes_in_all <= {nodes_max:UInt32})
    )
    ARRAY JOIN if(empty(shown), [0], arraySlice(shown, parts_at)) AS frame, if(empty(shown), [0], range(parts_at, length(shown) + 1)) AS position
  )
  GROUP BY frame
) AS tree
ANY LEFT JOIN (
  ${frameNames(view)}
) AS names ON names.frame_id = tree.frame`;
  return { sql, params: { ...sums.params, ...viewed.params, stacks_max: stacksMax, nodes_max: nodesMax }, row: stackRow };
}
