// A flamegraph as one statement: sums by stack → stacks → the view of them (stack-view.ts) → node ids → group by node → the heaviest N → names.
// core/flamegraph/rows.ts turns the rows into a tree; core/flamegraph/tree.ts is the same fold in plain TypeScript and the tests' oracle.
//
// A node is a prefix of frames. Its id is Σ (cityHash64(frame, position) · 2¹¹ + 1) over the prefix: the position is inside the hash, so order matters; the
// low bits count the depth, and what the last frame added is taken off for the parent's id, so that neither is carried for every node of every stack. The
// running sum costs one pass (a true chain by arrayFold copies its array at every step). Ids live in one answer only; of 10⁶ nodes in 40 depths two collide
// with probability 10⁻⁶.
// A node is never heavier than its parent and ties go to the one nearer to the root, so the heaviest N are closed under parents.
//
// Traps, each measured: a plain JOIN on `stacks` or `frames` doubles what has a second copy until merges finish, hence ANY; the sums are the right side of
// ANY RIGHT JOIN so that a stack missing from the dictionary keeps its value (at the root) and memory follows the selection, not the tenant's dictionary;
// a CTE used twice runs twice, hence nesting; count() OVER () beside a GROUP BY is three times as slow as around it; hiding is arithmetic on the low 4 bits,
// so it needs no join; one row per frame ships a 2 KB kernel name once.
// A stack outside the view counts nowhere but in the root's `whole`.
import { z } from "zod";
import type { StackView } from "#core/flamegraph/stack-view.ts";
import { frameKinds } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import type { Query } from "./client.ts";
import { type SampleSelection, noLayerFrame, stackSums } from "./samples.ts";
import { frameNames, viewSql } from "./stack-view.ts";

const depthBits = Math.ceil(Math.log2(limits.stackDepthMax + 1));
const ids = z.array(z.string());
export const frameRow = z.object({
  frame: z.string(), name: z.string(), file: z.string(), line: z.int(), mapping: z.string(),
  module_path: z.string(), module_class: z.string(), model_key: z.string(),
  nodes: ids, parents: ids, totals: ids, selfs: ids, counts: ids, self_counts: ids, copies: ids,
  samples: z.string(), without_layer: z.string(), whole: z.string(), all_nodes: z.string(),
});

// Rows (node, parent, frame, depth, total, …): the heaviest `nodesMax` nodes below the root and the root itself, which is node 0 of frame 0.
export function foldedNodes(selection: SampleSelection, view: StackView<string>, nodesMax: number): Query {
  return nodesOf(stackSums(selection), view, nodesMax, []);
}

// `sums` are rows (stack_id, value, count, samples); of further columns of it, `beside`, each node has a total and a self too.
export function nodesOf(sums: Query, view: StackView<string>, nodesMax: number, beside: readonly string[]): Query {
  const viewed = viewSql(view);
  const [copies, original, originals] = view.foldLayers ? [`uniqExactIf(node_original, bitAnd(node_frame, 15) = ${frameKinds.layer.number})`, ", node_original", ", arrayPushFront(originals, 0) AS node_original"] : ["1", "", ""];
  const of = (columns: (column: string) => string) => beside.map((column) => `, ${columns(column)}`).join("");
  const sql = `
    SELECT node, if(node = 0, 0, toUInt64(node - ${nodeStep("frame", "toUInt32(depth)")})) AS parent, frame, ${depthOf("node")} AS depth, total, self, total_count, self_count,
           total_samples, no_layer_total, whole_total${of((column) => `total_${column}, self_${column}`)}, greatest(copies, 1) AS node_copies, count() OVER () AS nodes_in_all
    FROM (
      SELECT node, any(node_frame) AS frame, sum(value) AS total, sumIf(value, is_leaf) AS self, sum(count) AS total_count, sumIf(count, is_leaf) AS self_count,
             sum(samples) AS total_samples, sum(no_layer_value) AS no_layer_total, sum(whole_value) AS whole_total${of((column) => `sum(${column}) AS total_${column}, sumIf(${column}, is_leaf) AS self_${column}`)},
             ${copies} AS copies
      FROM (
        SELECT value, count, samples, no_layer_value, whole_value${of((column) => column)}, node, node_frame, ${depthOf("node")} = leaf_depth AS is_leaf${original}
        FROM (
          SELECT whole_value, if(inside, whole_value, 0) AS value, if(inside, whole_count, 0) AS count, if(inside, whole_samples, 0) AS samples${of((column) => `if(inside, whole_${column}, 0) AS ${column}`)},
                 if(${noLayerFrame}, value, 0) AS no_layer_value, shown, length(shown) AS leaf_depth${view.foldLayers ? ", originals" : ""},
                 arrayPushFront(arrayCumSum(arrayMap((f, i) -> ${nodeStep("f", "i")}, shown, arrayEnumerate(shown))), 0) AS path
          FROM (
            ${viewed.with}
            SELECT value AS whole_value, count AS whole_count, samples AS whole_samples${of((column) => `${column} AS whole_${column}`)}, frames, ${viewed.columns}
            FROM (SELECT stack_id, frames FROM stacks WHERE tenant_id = {tenant:String}) AS stack
            ANY RIGHT JOIN (${sums.sql}) AS sums USING (stack_id)
          )
        )
        ARRAY JOIN path AS node, arrayPushFront(shown, 0) AS node_frame${originals}
      )
      GROUP BY node
    )
    ORDER BY total DESC, depth, node LIMIT {nodes:UInt32}`;
  return { sql, params: { ...sums.params, ...viewed.params, nodes: nodesMax + 1 } };
}

// What a frame at a position, a UInt32 from 1 on, adds to the id of the node above.
const nodeStep = (frame: string, position: string) => `(bitShiftLeft(cityHash64(${frame}, ${position}), ${depthBits}) + 1)`;
const depthOf = (node: string) => `bitAnd(${node}, ${2 ** depthBits - 1})`;

// The same nodes grouped by frame, with the frame's names: the rows of core/flamegraph/rows.ts.
export function flamegraphRows(selection: SampleSelection, view: StackView<string>, nodesMax: number): Query & { row: typeof frameRow } {
  return { ...byFrame(foldedNodes(selection, view, nodesMax), view, []), row: frameRow };
}

// Of the whole answer, told once.
const ofRoot = (column: string) => `maxIf(${column}, frame = 0)`;

export function byFrame(nodes: Query, view: StackView<string>, beside: readonly string[]): Query {
  const sql = `
SELECT frame, name, file, line, mapping, module_path, module_class, model_key, nodes, parents, totals, selfs, counts, self_counts, copies,
       samples, without_layer, whole, all_nodes${beside.map((column) => `, totals_${column}, selfs_${column}`).join("")}
FROM (
  SELECT frame, groupArray(node) AS nodes, groupArray(parent) AS parents, groupArray(total) AS totals, groupArray(self) AS selfs,
         groupArray(total_count) AS counts, groupArray(self_count) AS self_counts, ${view.foldLayers ? "groupArray(toUInt64(node_copies))" : "[]::Array(UInt64)"} AS copies,
         ${beside.map((column) => `groupArray(total_${column}) AS totals_${column}, groupArray(self_${column}) AS selfs_${column}, `).join("")}
         ${ofRoot("total_samples")} AS samples, ${ofRoot("no_layer_total")} AS without_layer, ${ofRoot("whole_total")} AS whole, ${ofRoot("nodes_in_all")} AS all_nodes
  FROM (${nodes.sql})
  GROUP BY frame
) AS tree
ANY LEFT JOIN (
  ${frameNames(view)}
) AS names ON names.frame_id = tree.frame`;
  return { sql, params: nodes.params };
}
