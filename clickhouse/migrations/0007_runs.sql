-- Pipeline stages are merged within one run: all processes of one launch say one run_id. '' = not said by an older agent, or a model in one piece. A run is a row for
-- each of its stages; they outlive it only as long as its sightings.
ALTER TABLE shape_parts {{on_cluster}}
  ADD COLUMN IF NOT EXISTS run_id String,
  MODIFY ORDER BY (tenant_id, model_key, sizes, pp_rank, run_id);

ALTER TABLE shape_parts {{on_cluster}}
  MODIFY TTL stored_at + toIntervalDay(190) DELETE WHERE run_id != '';

-- parts_received_s: when its parts were received, Unix seconds, summed over them. The newest part of each rank only ever becomes newer, so of two wholes of one run the
-- later has the larger sum, also where a part that came late leaves the newest of both the same.
ALTER TABLE model_shapes {{on_cluster}}
  ADD COLUMN IF NOT EXISTS run_id String,
  ADD COLUMN IF NOT EXISTS parts_received_s UInt64,
  MODIFY ORDER BY (tenant_id, model_key, shape_id, layout_id, parts, run_id);

ALTER TABLE sightings {{on_cluster}}
  ADD COLUMN IF NOT EXISTS run_id SimpleAggregateFunction(max, String);
