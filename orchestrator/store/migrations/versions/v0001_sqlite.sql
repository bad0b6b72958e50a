CREATE TABLE clock (
	id INTEGER NOT NULL,
	offset_ms BIGINT NOT NULL,
	CONSTRAINT pk_clock PRIMARY KEY (id),
	CONSTRAINT ck_clock_single CHECK (id = 1)
);

CREATE TABLE outbox_event (
	id INTEGER NOT NULL,
	"key" VARCHAR(190) NOT NULL,
	type VARCHAR(190) NOT NULL,
	entity VARCHAR(190) NOT NULL,
	revision INTEGER NOT NULL,
	mode VARCHAR(32) NOT NULL,
	origin VARCHAR(190) NOT NULL,
	causation VARCHAR(190),
	root VARCHAR(190),
	hops INTEGER NOT NULL,
	payload TEXT NOT NULL,
	decided_ms BIGINT NOT NULL,
	CONSTRAINT pk_outbox_event PRIMARY KEY (id),
	CONSTRAINT uq_outbox_event_key UNIQUE ("key"),
	CONSTRAINT ck_outbox_event_mode CHECK (mode IN ('LIVE', 'REPAIR', 'REPLAY', 'SHADOW'))
);

CREATE TABLE inbox_event (
	id INTEGER NOT NULL,
	source VARCHAR(190) NOT NULL,
	event_id VARCHAR(190) NOT NULL,
	kind VARCHAR(190) NOT NULL,
	entity VARCHAR(190),
	revision INTEGER,
	state VARCHAR(190),
	intent VARCHAR(190),
	origin VARCHAR(190) NOT NULL,
	causation VARCHAR(190),
	root VARCHAR(190),
	hops INTEGER NOT NULL,
	payload BLOB NOT NULL,
	source_time_ms BIGINT,
	received_ms BIGINT NOT NULL,
	status VARCHAR(32) NOT NULL,
	note VARCHAR(500),
	owner VARCHAR(190),
	owner_deadline_ms BIGINT,
	acked_ms BIGINT,
	processed_ms BIGINT,
	CONSTRAINT pk_inbox_event PRIMARY KEY (id),
	CONSTRAINT uq_inbox_event_source UNIQUE (source, event_id),
	CONSTRAINT ck_inbox_event_status CHECK (status IN ('APPLIED', 'DUPLICATE', 'IGNORED', 'PENDING', 'QUARANTINED', 'STALE')),
	CONSTRAINT ck_inbox_event_owned CHECK (status NOT IN ('QUARANTINED') OR (owner IS NOT NULL AND owner_deadline_ms IS NOT NULL))
);

CREATE TABLE entity_state (
	entity VARCHAR(190) NOT NULL,
	revision INTEGER NOT NULL,
	state VARCHAR(190) NOT NULL,
	cause VARCHAR(190) NOT NULL,
	updated_ms BIGINT NOT NULL,
	CONSTRAINT pk_entity_state PRIMARY KEY (entity)
);

CREATE TABLE effect (
	id INTEGER NOT NULL,
	event_key VARCHAR(190) NOT NULL,
	entity VARCHAR(190) NOT NULL,
	revision INTEGER NOT NULL,
	intent VARCHAR(32) NOT NULL,
	mode VARCHAR(32) NOT NULL,
	status VARCHAR(32) NOT NULL,
	version INTEGER NOT NULL,
	batch_key VARCHAR(190) NOT NULL,
	idempotency_key VARCHAR(230) NOT NULL,
	attempts INTEGER NOT NULL,
	hops INTEGER NOT NULL,
	priority INTEGER NOT NULL,
	next_due_ms BIGINT,
	lease_owner VARCHAR(190),
	deadline_ms BIGINT,
	reference VARCHAR(500),
	evidence VARCHAR(32),
	reason VARCHAR(32),
	last_error VARCHAR(500),
	note VARCHAR(500),
	owner VARCHAR(190),
	owner_deadline_ms BIGINT,
	acked_ms BIGINT,
	created_ms BIGINT NOT NULL,
	updated_ms BIGINT NOT NULL,
	confirmed_ms BIGINT,
	CONSTRAINT pk_effect PRIMARY KEY (id),
	CONSTRAINT uq_effect_entity UNIQUE (entity, revision, intent, mode),
	CONSTRAINT ck_effect_intent CHECK (intent IN ('ALERT', 'ANNOUNCE', 'COMMIT', 'PUSH', 'RENDER', 'VERIFY', 'WITHDRAW')),
	CONSTRAINT ck_effect_mode CHECK (mode IN ('LIVE', 'REPAIR', 'REPLAY', 'SHADOW')),
	CONSTRAINT ck_effect_status CHECK (status IN ('COMPENSATED', 'CONFIRMED', 'DEAD_LETTERED', 'IN_FLIGHT', 'PENDING', 'RETRYABLE', 'SUPERSEDED', 'UNKNOWN_OUTCOME', 'WAIVED')),
	CONSTRAINT ck_effect_evidence CHECK (evidence IN ('branch', 'http')),
	CONSTRAINT ck_effect_reason CHECK (reason IN ('HOP_BUDGET_EXHAUSTED', 'PUBLICATION_CONFLICT', 'REMOTE_REJECTED')),
	CONSTRAINT ck_effect_owned CHECK (status NOT IN ('DEAD_LETTERED', 'UNKNOWN_OUTCOME') OR (owner IS NOT NULL AND owner_deadline_ms IS NOT NULL)),
	CONSTRAINT ck_effect_allowed CHECK ((mode = 'LIVE' AND intent IN ('ALERT', 'ANNOUNCE', 'COMMIT', 'PUSH', 'RENDER', 'VERIFY', 'WITHDRAW')) OR (mode = 'REPLAY' AND intent IN ('COMMIT', 'RENDER', 'VERIFY', 'WITHDRAW')) OR (mode = 'REPAIR' AND intent IN ('ALERT', 'COMMIT', 'PUSH', 'RENDER', 'VERIFY', 'WITHDRAW')) OR (mode = 'SHADOW' AND intent IN ('ALERT', 'COMMIT', 'RENDER', 'VERIFY', 'WITHDRAW'))),
	CONSTRAINT ck_effect_settled_never_due CHECK (status IN ('IN_FLIGHT', 'PENDING', 'RETRYABLE', 'UNKNOWN_OUTCOME') OR next_due_ms IS NULL),
	CONSTRAINT ck_effect_leased_in_flight CHECK (status = 'IN_FLIGHT' OR lease_owner IS NULL),
	CONSTRAINT fk_effect_event_key FOREIGN KEY(event_key) REFERENCES outbox_event ("key")
);

CREATE TABLE document (
	kind VARCHAR(64) NOT NULL,
	digest VARCHAR(80) NOT NULL,
	body BLOB NOT NULL,
	stored_ms BIGINT NOT NULL,
	CONSTRAINT pk_document PRIMARY KEY (kind, digest),
	CONSTRAINT ck_document_kind CHECK (kind IN ('CONTRACT', 'PACKAGE', 'PAYLOAD', 'POLICY', 'REPORT', 'REQUEST'))
);

CREATE TABLE command (
	id INTEGER NOT NULL,
	verb VARCHAR(64) NOT NULL,
	target VARCHAR(120) NOT NULL,
	active_key VARCHAR(200),
	idempotency_key VARCHAR(120) NOT NULL,
	reason_code VARCHAR(64) NOT NULL,
	reason_text TEXT NOT NULL,
	actor VARCHAR(64) NOT NULL,
	arguments TEXT NOT NULL,
	status VARCHAR(64) NOT NULL,
	outcome VARCHAR(400),
	ordered_ms BIGINT NOT NULL,
	finished_ms BIGINT,
	CONSTRAINT pk_command PRIMARY KEY (id),
	CONSTRAINT ck_command_status CHECK (status IN ('DONE', 'OPEN', 'REFUSED')),
	CONSTRAINT ck_command_active_key CHECK ((status = 'OPEN' AND active_key IS NOT NULL) OR (status <> 'OPEN' AND active_key IS NULL)),
	CONSTRAINT uq_command_active_key UNIQUE (active_key),
	CONSTRAINT uq_command_idempotency_key UNIQUE (idempotency_key)
);

CREATE TABLE event (
	id INTEGER NOT NULL,
	occurred_ms BIGINT NOT NULL,
	event_type VARCHAR(64) NOT NULL,
	process_id VARCHAR(64),
	process_revision INTEGER,
	job_id VARCHAR(64),
	generation INTEGER,
	fence INTEGER,
	stage_code VARCHAR(64),
	from_state VARCHAR(64),
	to_state VARCHAR(64),
	fingerprint_prefix VARCHAR(16),
	actor_type VARCHAR(64) NOT NULL,
	actor VARCHAR(64) NOT NULL,
	diagnostic_code VARCHAR(200),
	CONSTRAINT pk_event PRIMARY KEY (id),
	CONSTRAINT ck_event_actor_type CHECK (actor_type IN ('OPERATOR', 'PROVIDER', 'RELAY', 'SCHEDULER', 'SUPERVISOR', 'WORKER'))
);

CREATE TABLE cost_day (
	day VARCHAR(10) NOT NULL,
	CONSTRAINT pk_cost_day PRIMARY KEY (day)
);

CREATE TABLE provider_gate (
	provider VARCHAR(64) NOT NULL,
	until_ms BIGINT NOT NULL,
	CONSTRAINT pk_provider_gate PRIMARY KEY (provider)
);

CREATE TABLE pause (
	scope VARCHAR(64) NOT NULL,
	paused BOOLEAN NOT NULL,
	actor VARCHAR(64) NOT NULL,
	reason VARCHAR(200) NOT NULL,
	since_ms BIGINT NOT NULL,
	CONSTRAINT pk_pause PRIMARY KEY (scope)
);

CREATE TABLE process (
	id VARCHAR(64) NOT NULL,
	product VARCHAR(64) NOT NULL,
	target_date VARCHAR(10) NOT NULL,
	languages VARCHAR(200) NOT NULL,
	version INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	stage VARCHAR(64) NOT NULL,
	overlay VARCHAR(64) NOT NULL,
	reason VARCHAR(64),
	supplemental_rounds INTEGER NOT NULL,
	evidence_digest VARCHAR(80),
	evidence_kind VARCHAR(64) DEFAULT 'PACKAGE' NOT NULL,
	accepted_research_revision INTEGER,
	composition_revision INTEGER,
	backfill BOOLEAN NOT NULL,
	owner VARCHAR(64),
	acked_ms BIGINT,
	created_ms BIGINT NOT NULL,
	scheduled_ms BIGINT NOT NULL,
	deadline_ms BIGINT,
	progress_ms BIGINT NOT NULL,
	published_ms BIGINT,
	verified_ms BIGINT,
	CONSTRAINT pk_process PRIMARY KEY (id),
	CONSTRAINT ck_process_evidence_kind CHECK (evidence_kind = 'PACKAGE'),
	CONSTRAINT fk_process_evidence_kind FOREIGN KEY(evidence_kind, evidence_digest) REFERENCES document (kind, digest),
	CONSTRAINT ck_process_stage CHECK (stage IN ('COMPOSITION', 'COMPOSITION_VALIDATE', 'PUBLISHED', 'READY_FOR_EDITORIAL', 'READY_TO_PUBLISH', 'RESEARCH_ACCEPTED', 'RESEARCH_ASSESS', 'RESEARCH_PRIMARY', 'RESEARCH_SUPPLEMENTAL')),
	CONSTRAINT ck_process_overlay CHECK (overlay IN ('ABANDONED', 'DELAYED', 'MISSED', 'NONE', 'QUARANTINED', 'SUSPENDED')),
	CONSTRAINT ck_process_quarantine_owner CHECK (overlay <> 'QUARANTINED' OR owner IS NOT NULL),
	CONSTRAINT uq_process_product UNIQUE (product, target_date)
);

CREATE TABLE job (
	id VARCHAR(64) NOT NULL,
	process_id VARCHAR(64) NOT NULL,
	slot VARCHAR(64),
	state VARCHAR(64) NOT NULL,
	version INTEGER NOT NULL,
	stage VARCHAR(64) NOT NULL,
	generation INTEGER NOT NULL,
	priority INTEGER NOT NULL,
	deadline_ms BIGINT,
	next_due_ms BIGINT,
	lease_owner VARCHAR(64),
	fingerprint VARCHAR(80),
	contract_digest VARCHAR(80),
	request_digest VARCHAR(80),
	client_request_id VARCHAR(64),
	response_id VARCHAR(512),
	x_request_id VARCHAR(200),
	generation_attempts INTEGER NOT NULL,
	throttle_count INTEGER NOT NULL,
	poll_count INTEGER NOT NULL,
	retrieve_count INTEGER NOT NULL,
	validate_count INTEGER NOT NULL,
	delete_count INTEGER NOT NULL,
	created_ms BIGINT NOT NULL,
	eligible_ms BIGINT,
	create_started_ms BIGINT,
	accepted_ms BIGINT,
	last_poll_ms BIGINT,
	missing_since_ms BIGINT,
	missing_count INTEGER NOT NULL,
	terminal_seen_ms BIGINT,
	cancel_requested_ms BIGINT,
	cancel_calls INTEGER NOT NULL,
	delete_requested_ms BIGINT,
	discard_ordered_ms BIGINT,
	deleted_ms BIGINT,
	quarantine_reason VARCHAR(64),
	quarantined_ms BIGINT,
	owner VARCHAR(64),
	owner_deadline_ms BIGINT,
	acked_ms BIGINT,
	resume_state VARCHAR(64),
	superseded_by VARCHAR(64),
	no_replacement BOOLEAN NOT NULL,
	abandoned BOOLEAN NOT NULL,
	drift_waived BOOLEAN NOT NULL,
	diagnostic VARCHAR(200),
	cost_ceiling_micro BIGINT,
	output_ceiling_tokens INTEGER NOT NULL,
	payload_digest VARCHAR(80),
	payload_kind VARCHAR(64) DEFAULT 'PAYLOAD' NOT NULL,
	report_digest VARCHAR(80),
	report_kind VARCHAR(64) DEFAULT 'REPORT' NOT NULL,
	result_commit_key VARCHAR(200),
	CONSTRAINT pk_job PRIMARY KEY (id),
	CONSTRAINT ck_job_payload_kind CHECK (payload_kind = 'PAYLOAD'),
	CONSTRAINT fk_job_payload_kind FOREIGN KEY(payload_kind, payload_digest) REFERENCES document (kind, digest),
	CONSTRAINT ck_job_report_kind CHECK (report_kind = 'REPORT'),
	CONSTRAINT fk_job_report_kind FOREIGN KEY(report_kind, report_digest) REFERENCES document (kind, digest),
	CONSTRAINT ck_job_state CHECK (state IN ('ACCEPTED', 'CLEANUP_PENDING', 'COMPLETED_NOT_RETRIEVED', 'COMPOSED_NOT_SAVED', 'CREATE_ELIGIBLE', 'CREATE_IN_FLIGHT', 'DELETED', 'IN_PROGRESS', 'MANUALLY_SUSPENDED', 'NO_JOB', 'PROVIDER_EXPIRED_OR_MISSING', 'PUBLISHED', 'QUARANTINED', 'QUEUED', 'READY_TO_COMPOSE', 'RETRIEVED_NOT_VALIDATED', 'SAVED_NOT_PUBLIC', 'VALIDATION_FAILED_RETAINED')),
	CONSTRAINT ck_job_stage CHECK (stage IN ('composition', 'research_primary', 'research_supplemental')),
	CONSTRAINT ck_job_quarantine_reason CHECK (quarantine_reason IN ('AGE_LIMIT', 'COMPOSITION_BUDGET_EXHAUSTED', 'CONFIGURATION_DRIFT', 'CORRELATION_CONFLICT', 'COST_CEILING', 'CREATE_ACCEPTANCE_UNKNOWN', 'CREDENTIALS_REJECTED', 'GENERATIONS_EXHAUSTED', 'GENERATION_BUDGET_EXHAUSTED', 'OPERATOR', 'POLL_BUDGET_EXHAUSTED', 'PROVIDER_REFUSED', 'PROVIDER_REJECTED', 'PROVIDER_THROTTLED', 'QUOTA_EXHAUSTED', 'RETRIEVAL_BUDGET_EXHAUSTED')),
	CONSTRAINT ck_job_resume_state CHECK (resume_state IN ('ACCEPTED', 'CLEANUP_PENDING', 'COMPLETED_NOT_RETRIEVED', 'COMPOSED_NOT_SAVED', 'CREATE_ELIGIBLE', 'CREATE_IN_FLIGHT', 'DELETED', 'IN_PROGRESS', 'MANUALLY_SUSPENDED', 'NO_JOB', 'PROVIDER_EXPIRED_OR_MISSING', 'PUBLISHED', 'QUARANTINED', 'QUEUED', 'READY_TO_COMPOSE', 'RETRIEVED_NOT_VALIDATED', 'SAVED_NOT_PUBLIC', 'VALIDATION_FAILED_RETAINED')),
	CONSTRAINT ck_job_custody CHECK (state NOT IN ('COMPOSED_NOT_SAVED', 'PUBLISHED', 'READY_TO_COMPOSE', 'SAVED_NOT_PUBLIC') OR payload_digest IS NOT NULL),
	CONSTRAINT ck_job_delete_after_custody CHECK (delete_requested_ms IS NULL OR payload_digest IS NOT NULL OR discard_ordered_ms IS NOT NULL OR abandoned OR superseded_by IS NOT NULL),
	CONSTRAINT ck_job_quarantine_owner CHECK (state <> 'QUARANTINED' OR (owner IS NOT NULL AND owner_deadline_ms IS NOT NULL)),
	CONSTRAINT ck_job_never_due CHECK (state NOT IN ('DELETED', 'MANUALLY_SUSPENDED') OR next_due_ms IS NULL),
	CONSTRAINT uq_job_slot UNIQUE (slot),
	CONSTRAINT uq_job_result_commit_key UNIQUE (result_commit_key),
	CONSTRAINT uq_job_response_id UNIQUE (response_id),
	CONSTRAINT uq_job_client_request_id UNIQUE (client_request_id),
	CONSTRAINT fk_job_process_id FOREIGN KEY(process_id) REFERENCES process (id)
);

CREATE TABLE cost_entry (
	id INTEGER NOT NULL,
	process_id VARCHAR(64) NOT NULL,
	job_id VARCHAR(64) NOT NULL,
	day VARCHAR(10) NOT NULL,
	kind VARCHAR(64) NOT NULL,
	amount_micro BIGINT NOT NULL,
	at_ms BIGINT NOT NULL,
	CONSTRAINT pk_cost_entry PRIMARY KEY (id),
	CONSTRAINT ck_cost_entry_kind CHECK (kind IN ('RELEASED', 'RESERVED', 'SPENT')),
	CONSTRAINT ck_cost_entry_sign CHECK (kind = 'RELEASED' OR amount_micro >= 0),
	CONSTRAINT fk_cost_entry_process_id FOREIGN KEY(process_id) REFERENCES process (id)
);

CREATE TABLE status_projection (
	process_id VARCHAR(64) NOT NULL,
	payload TEXT NOT NULL,
	written_ms BIGINT NOT NULL,
	CONSTRAINT pk_status_projection PRIMARY KEY (process_id),
	CONSTRAINT fk_status_projection_process_id FOREIGN KEY(process_id) REFERENCES process (id)
);

CREATE TABLE create_attempt (
	id INTEGER NOT NULL,
	job_id VARCHAR(64) NOT NULL,
	process_id VARCHAR(64) NOT NULL,
	process_revision INTEGER NOT NULL,
	stage VARCHAR(64) NOT NULL,
	fingerprint VARCHAR(80) NOT NULL,
	generation INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	live_key VARCHAR(120),
	contract_version VARCHAR(120) NOT NULL,
	request_digest VARCHAR(80) NOT NULL,
	client_request_id VARCHAR(64) NOT NULL,
	fence INTEGER NOT NULL,
	lease_owner VARCHAR(64),
	started_ms BIGINT NOT NULL,
	reserved_micro BIGINT NOT NULL,
	metadata_json TEXT NOT NULL,
	outcome VARCHAR(64),
	phase VARCHAR(64),
	http_status INTEGER,
	elapsed_ms INTEGER,
	error_class VARCHAR(200),
	x_request_id VARCHAR(200),
	response_id VARCHAR(512),
	settled_ms BIGINT,
	CONSTRAINT pk_create_attempt PRIMARY KEY (id),
	CONSTRAINT ck_create_attempt_outcome CHECK (outcome IN ('CREATED', 'NOT_CREATED', 'UNKNOWN')),
	CONSTRAINT ck_create_attempt_live_key CHECK ((outcome IS NOT NULL AND outcome = 'NOT_CREATED' AND live_key IS NULL) OR ((outcome IS NULL OR outcome <> 'NOT_CREATED') AND live_key IS NOT NULL)),
	CONSTRAINT uq_create_attempt_live_key UNIQUE (live_key),
	CONSTRAINT uq_create_attempt_job_id UNIQUE (job_id, attempt),
	CONSTRAINT fk_create_attempt_job_id FOREIGN KEY(job_id) REFERENCES job (id)
);

CREATE TABLE candidate (
	process_id VARCHAR(64) NOT NULL,
	id VARCHAR(64) NOT NULL,
	position INTEGER NOT NULL,
	identity VARCHAR(200) NOT NULL,
	job_id VARCHAR(64) NOT NULL,
	process_revision INTEGER NOT NULL,
	content TEXT NOT NULL,
	CONSTRAINT pk_candidate PRIMARY KEY (process_id, id),
	CONSTRAINT fk_candidate_process_id FOREIGN KEY(process_id) REFERENCES process (id),
	CONSTRAINT uq_candidate_process_id UNIQUE (process_id, identity),
	CONSTRAINT fk_candidate_job_id FOREIGN KEY(job_id) REFERENCES job (id)
);

CREATE TABLE edition (
	id INTEGER NOT NULL,
	process_id VARCHAR(64) NOT NULL,
	job_id VARCHAR(64),
	product VARCHAR(64) NOT NULL,
	target_date VARCHAR(10) NOT NULL,
	lang VARCHAR(8) NOT NULL,
	revision INTEGER NOT NULL,
	number INTEGER NOT NULL,
	status VARCHAR(64) NOT NULL,
	provenance VARCHAR(64) NOT NULL,
	current_slot VARCHAR(120),
	content TEXT NOT NULL,
	evidence TEXT NOT NULL,
	digest VARCHAR(80) NOT NULL,
	package_digest VARCHAR(80) NOT NULL,
	composition_digest VARCHAR(80) NOT NULL,
	report_digest VARCHAR(80) NOT NULL,
	report_kind VARCHAR(64) DEFAULT 'REPORT' NOT NULL,
	report_passed BOOLEAN NOT NULL,
	approved_by VARCHAR(64),
	owner VARCHAR(64),
	saved_ms BIGINT NOT NULL,
	published_ms BIGINT,
	ended_ms BIGINT,
	CONSTRAINT pk_edition PRIMARY KEY (id),
	CONSTRAINT ck_edition_report_kind CHECK (report_kind = 'REPORT'),
	CONSTRAINT fk_edition_report_kind FOREIGN KEY(report_kind, report_digest) REFERENCES document (kind, digest),
	CONSTRAINT ck_edition_status CHECK (status IN ('PUBLISHED', 'SAVED', 'SUPERSEDED', 'WITHDRAWN')),
	CONSTRAINT ck_edition_provenance CHECK (provenance IN ('ADOPTED', 'CORRECTION', 'PROVIDER')),
	CONSTRAINT ck_edition_composed CHECK (provenance <> 'PROVIDER' OR job_id IS NOT NULL),
	CONSTRAINT ck_edition_validated CHECK (report_passed OR (provenance = 'ADOPTED' AND owner IS NOT NULL)),
	CONSTRAINT ck_edition_current CHECK ((status = 'PUBLISHED' AND current_slot IS NOT NULL) OR (status <> 'PUBLISHED' AND current_slot IS NULL)),
	CONSTRAINT uq_edition_product UNIQUE (product, target_date, lang, revision),
	CONSTRAINT uq_edition_current_slot UNIQUE (current_slot),
	CONSTRAINT fk_edition_process_id FOREIGN KEY(process_id) REFERENCES process (id),
	CONSTRAINT fk_edition_job_id FOREIGN KEY(job_id) REFERENCES job (id)
);

CREATE TABLE evidence_patch (
	process_id VARCHAR(64) NOT NULL,
	id VARCHAR(64) NOT NULL,
	candidate_id VARCHAR(64) NOT NULL,
	job_id VARCHAR(64) NOT NULL,
	process_revision INTEGER NOT NULL,
	content TEXT NOT NULL,
	CONSTRAINT pk_evidence_patch PRIMARY KEY (process_id, id),
	CONSTRAINT fk_evidence_patch_process_id FOREIGN KEY(process_id, candidate_id) REFERENCES candidate (process_id, id),
	CONSTRAINT fk_evidence_patch_job_id FOREIGN KEY(job_id) REFERENCES job (id)
);

CREATE TABLE claim (
	process_id VARCHAR(64) NOT NULL,
	id VARCHAR(64) NOT NULL,
	candidate_id VARCHAR(64) NOT NULL,
	patch_id VARCHAR(64),
	position INTEGER NOT NULL,
	content TEXT NOT NULL,
	CONSTRAINT pk_claim PRIMARY KEY (process_id, id),
	CONSTRAINT fk_claim_process_id FOREIGN KEY(process_id, candidate_id) REFERENCES candidate (process_id, id)
);

CREATE TABLE source (
	process_id VARCHAR(64) NOT NULL,
	id VARCHAR(64) NOT NULL,
	candidate_id VARCHAR(64) NOT NULL,
	patch_id VARCHAR(64),
	position INTEGER NOT NULL,
	payload_digest VARCHAR(80) NOT NULL,
	payload_kind VARCHAR(64) DEFAULT 'PAYLOAD' NOT NULL,
	content TEXT NOT NULL,
	CONSTRAINT pk_source PRIMARY KEY (process_id, id),
	CONSTRAINT ck_source_payload_kind CHECK (payload_kind = 'PAYLOAD'),
	CONSTRAINT fk_source_payload_kind FOREIGN KEY(payload_kind, payload_digest) REFERENCES document (kind, digest),
	CONSTRAINT fk_source_process_id FOREIGN KEY(process_id, candidate_id) REFERENCES candidate (process_id, id)
);

CREATE INDEX ix_cost_entry_day ON cost_entry (day);

CREATE INDEX ix_cost_entry_job_id ON cost_entry (job_id);

CREATE INDEX ix_cost_entry_process_id ON cost_entry (process_id);

CREATE INDEX ix_edition_process_id ON edition (process_id);

CREATE INDEX ix_effect_batch_key ON effect (batch_key, intent);

CREATE INDEX ix_effect_next_due_ms ON effect (next_due_ms);

CREATE INDEX ix_effect_status ON effect (status);

CREATE INDEX ix_event_process_id ON event (process_id);

CREATE INDEX ix_inbox_event_entity ON inbox_event (entity, revision);

CREATE INDEX ix_inbox_event_root ON inbox_event (root);

CREATE INDEX ix_inbox_event_status ON inbox_event (status, id);

CREATE INDEX ix_job_next_due_ms ON job (next_due_ms);

CREATE INDEX ix_job_process_id ON job (process_id);

CREATE INDEX ix_outbox_event_entity ON outbox_event (entity, revision);

CREATE INDEX ix_outbox_event_root ON outbox_event (root);

CREATE INDEX ix_process_unverified ON process (verified_ms, deadline_ms);

CREATE TRIGGER document_no_update BEFORE UPDATE ON document BEGIN SELECT RAISE(ABORT, 'document is append-only'); END;

CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;

CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;

CREATE TRIGGER cost_entry_no_update BEFORE UPDATE ON cost_entry BEGIN SELECT RAISE(ABORT, 'cost_entry is append-only'); END;

CREATE TRIGGER cost_entry_no_delete BEFORE DELETE ON cost_entry BEGIN SELECT RAISE(ABORT, 'cost_entry is append-only'); END;

CREATE TRIGGER candidate_no_update BEFORE UPDATE ON candidate BEGIN SELECT RAISE(ABORT, 'candidate is append-only'); END;

CREATE TRIGGER candidate_no_delete BEFORE DELETE ON candidate BEGIN SELECT RAISE(ABORT, 'candidate is append-only'); END;

CREATE TRIGGER evidence_patch_no_update BEFORE UPDATE ON evidence_patch BEGIN SELECT RAISE(ABORT, 'evidence_patch is append-only'); END;

CREATE TRIGGER evidence_patch_no_delete BEFORE DELETE ON evidence_patch BEGIN SELECT RAISE(ABORT, 'evidence_patch is append-only'); END;

CREATE TRIGGER claim_no_update BEFORE UPDATE ON claim BEGIN SELECT RAISE(ABORT, 'claim is append-only'); END;

CREATE TRIGGER claim_no_delete BEFORE DELETE ON claim BEGIN SELECT RAISE(ABORT, 'claim is append-only'); END;

CREATE TRIGGER source_no_update BEFORE UPDATE ON source BEGIN SELECT RAISE(ABORT, 'source is append-only'); END;

CREATE TRIGGER source_no_delete BEFORE DELETE ON source BEGIN SELECT RAISE(ABORT, 'source is append-only'); END;

